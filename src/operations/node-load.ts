/** How busy this node is. */
export interface NodeLoad {
  readonly slotsUsed: number;
  readonly slotsMax: number;
}
