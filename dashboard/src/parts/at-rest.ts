/** New rows enter only when they move nothing that the reader uses. */
export function isAtRest(card: HTMLElement | null): boolean {
  if (card === null || window.scrollY > 80) return false;
  return (
    !card.matches(":hover") &&
    !card.contains(document.activeElement) &&
    card.querySelector("tr.on, tr.cursor") === null
  );
}
