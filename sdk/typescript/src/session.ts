// The session of a client: logging in, and renewing before the token expires.

const RENEW_BEFORE = 5 * 60 * 1000;

/** How to log in: the path, and the body that holds the secret. */
export interface Credentials {
  path: string;
  body: object;
}

export type LogIn = (credentials: Credentials) => Promise<{ token: string; expiresAt: string }>;

/** A token that is renewed when it must be. Calls that run at the same time share one login. */
export class Session {
  #token: string | undefined;
  #expires = Infinity;
  #opened = false;
  #opening: Promise<void> | undefined;

  constructor(
    private readonly credentials: Credentials | undefined,
    token: string | undefined,
    private readonly logIn: LogIn,
  ) {
    this.#token = token;
  }

  get canRenew(): boolean {
    return this.credentials !== undefined;
  }

  /** Whether this session was opened here, so that it is ours to end. */
  get opened(): boolean {
    return this.#opened;
  }

  /** The token to send; logs in if there is none, or if it expires within five minutes. */
  async token(): Promise<string | undefined> {
    const isOld = this.#token === undefined || Date.now() >= this.#expires - RENEW_BEFORE;
    if (this.credentials && isOld) await this.#open(this.credentials);
    return this.#token;
  }

  /** Logs in again, unless another call has replaced the refused token already. */
  async renew(refused: string | undefined): Promise<void> {
    if (this.credentials && this.#token === refused) await this.#open(this.credentials);
  }

  /** Drops the token, which has ended. */
  forget(): void {
    this.#token = undefined;
    this.#expires = Infinity;
    this.#opened = false;
  }

  #open(credentials: Credentials): Promise<void> {
    this.#opening ??= this.logIn(credentials)
      .then(({ token, expiresAt }) => {
        this.#token = token;
        this.#expires = Date.parse(expiresAt);
        this.#opened = true;
      })
      .finally(() => {
        this.#opening = undefined;
      });
    return this.#opening;
  }
}
