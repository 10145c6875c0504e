/** Pages of a list, where a filter may leave nothing of a page although others follow. */
/** Where a page begins. */
export interface PageStart {
  /** Of the page before; null without one. */
  readonly cursor: string | null;
  /** Without a page before: nothing newer is wanted. */
  readonly toAt: number | null;
}

export interface ListPage<Row> {
  readonly rows: readonly Row[];
  /** Of the next page; null at the end. */
  readonly cursor: string | null;
  /** How many things the server has read for it, where it says so. */
  readonly searched?: number | undefined;
}

/** The next page that has rows. A search that finds none ends after some pages, with the cursor of the next. */
export async function searchPages<Row>(
  from: string | null,
  loadPage: (cursor: string | null) => Promise<ListPage<Row>>,
): Promise<ListPage<Row>> {
  let page = await loadPage(from);
  let { searched } = page;
  for (let read = 1; read < PAGES_MAX && page.rows.length === 0 && page.cursor !== null; read++) {
    page = await loadPage(page.cursor);
    searched = sumOf(searched, page.searched);
  }
  return searched === undefined ? page : { ...page, searched };
}

function sumOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined && other === undefined ? undefined : (one ?? 0) + (other ?? 0);
}

const PAGES_MAX = 5;
