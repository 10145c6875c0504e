/** Where a message is shown. */
export function messageHref({ id }: { readonly id: string }): string {
  return `/messages/${encodeURIComponent(id)}`;
}
