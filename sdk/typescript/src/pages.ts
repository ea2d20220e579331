// Lists of the API, page by page or item by item.

/**
 * A list that is fetched as it is read: iterating gives every item of every page.
 *
 *     for await (const message of client.listMessages(track.id)) console.log(message.content);
 */
export class Pages<Item, Page> implements AsyncIterable<Item> {
  constructor(
    private readonly fetchPage: (query: object) => Promise<unknown>,
    private readonly query: object,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* (page as { items: Item[] }).items;
  }

  /** Gives the pages, each with its own members beside `items`. A page may be empty although others follow. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    let query = this.query;
    while (true) {
      const page = (await this.fetchPage(query)) as Awaited<Page>;
      yield page;
      const { nextCursor } = page as { nextCursor?: string | null };
      if (nextCursor === undefined || nextCursor === null) return;
      query = { ...query, cursor: nextCursor };
    }
  }

  /** Fetches the first page alone. */
  first(): Promise<Page> {
    return this.fetchPage(this.query) as Promise<Page>;
  }
}
