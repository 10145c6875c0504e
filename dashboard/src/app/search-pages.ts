/** Pages of a list, where a filter may leave nothing of a page although others follow. */
export interface ListPage<Row> {
  readonly rows: readonly Row[];
  /** Of the next page; null at the end. */
  readonly cursor: string | null;
}

/** The next page that has rows. A search that finds none ends after some pages, with the cursor of the next. */
export async function searchPages<Row>(
  from: string | null,
  loadPage: (cursor: string | null) => Promise<ListPage<Row>>,
): Promise<ListPage<Row>> {
  let page = await loadPage(from);
  for (let read = 1; read < PAGES_MAX && page.rows.length === 0 && page.cursor !== null; read++) {
    page = await loadPage(page.cursor);
  }
  return page;
}

const PAGES_MAX = 5;
