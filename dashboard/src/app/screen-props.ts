/** What every screen is given. */
export interface ScreenProps {
  /** The variable part of the path, decoded; empty where the pattern has none. */
  readonly id: string;
}
