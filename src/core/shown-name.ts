/** A name from the request in a form fit for an error: short and visible. */
export function shownName(name: string): string {
  return name === "" ? '""' : shortened(name).replace(/[^\x21-\x7e]/g, "?");
}

/** A text from the request as an error repeats it. An id or key that exists is mostly repeated whole. */
export function shortened(text: string): string {
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}...` : text;
}

const SHOWN_MAX = 128;
