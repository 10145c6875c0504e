/** An instant, in unix milliseconds. Names of instants end in `At`, durations in `Ms`. */
export type Instant = number;
