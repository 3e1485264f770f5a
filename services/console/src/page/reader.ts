/** Who a page is made for: what it shows, and which forms it has. The server decides again when a form arrives. */
export interface Reader {
  readonly name: string;
  readonly roles: ReadonlySet<string>;
  /** the session's token, for its forms */
  readonly csrf: string;
  /** the server's clock, in milliseconds */
  readonly now: number;
}
