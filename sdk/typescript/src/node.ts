// Handlers that speak Fetch, in Node's HTTP server and in Express.

/** What an incoming request of Node has. */
export interface NodeRequest extends AsyncIterable<Uint8Array | string> {
  method?: string | undefined;
  url?: string | undefined;
  headers: Record<string, string | string[] | undefined>;
  /** Express: the body, if a middleware has read it. */
  body?: unknown;
  /** Express: the whole path, where the route is mounted. */
  originalUrl?: string | undefined;
}

/** What an outgoing response of Node has. */
export interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body?: Uint8Array): unknown;
  headersSent: boolean;
}

/**
 * A handler for `node:http` and for Express, of one that speaks Fetch.
 *
 *     app.post("/araf/webhook", toNode(webhookHandler(secret, receive)));
 *
 * In Express, mount it before `express.json()`, or use `express.raw()`: a signature covers the raw body.
 */
export function toNode(
  handler: (request: Request) => Promise<Response>,
): (request: NodeRequest, response: NodeResponse, next?: (error: unknown) => void) => Promise<void> {
  return async (incoming, outgoing, next) => {
    try {
      const answer = await handler(await requestOf(incoming));
      const body = new Uint8Array(await answer.arrayBuffer());
      // A body that was not read to its end cannot be followed by another request.
      const closing: Record<string, string> = answer.status === 413 ? { connection: "close" } : {};
      outgoing.writeHead(answer.status, { ...Object.fromEntries(answer.headers), ...closing });
      outgoing.end(body);
    } catch (error) {
      if (next) return next(error);
      console.error(error);
      if (!outgoing.headersSent) outgoing.writeHead(500, {});
      outgoing.end();
    }
  };
}

async function requestOf(incoming: NodeRequest): Promise<Request> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined && !name.startsWith(":")) headers.set(name, String(value));
  }
  const method = incoming.method ?? "GET";
  const url = new URL(incoming.originalUrl ?? incoming.url ?? "/", "http://localhost");
  if (method === "GET" || method === "HEAD") return new Request(url, { method, headers });
  // `duplex` is required for streams, and not in the DOM's types.
  const init = { method, headers, body: bodyOf(incoming), duplex: "half" } as RequestInit;
  return new Request(url, init);
}

function bodyOf(incoming: NodeRequest): BodyInit {
  const { body } = incoming;
  if (body instanceof Uint8Array || typeof body === "string") return body as BodyInit;
  if (body !== undefined && body !== null && Object.keys(body).length > 0) {
    throw new TypeError("a middleware has decoded the body: mount this handler before express.json(), or use express.raw()");
  }
  const parts = incoming[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) return controller.close();
      controller.enqueue(typeof value === "string" ? new TextEncoder().encode(value) : value);
    },
    async cancel() {
      await parts.return?.();
    },
  });
}
