import { parentPort, Worker } from 'node:worker_threads';

type Table<R> = { readonly [Name in keyof R]: { readonly ask: unknown; readonly answer: unknown } };

interface Ask<R extends Table<R>> {
  readonly id: number;
  readonly name: keyof R;
  readonly ask: R[keyof R]['ask'];
}

interface Reply<R extends Table<R>> {
  readonly id: number;
  readonly answer?: R[keyof R]['answer'];
  readonly failure?: string;
}

type Handlers<R extends Table<R>> = { readonly [Name in keyof R]: (ask: R[Name]['ask']) => R[Name]['answer'] };

/** Handles requests in a worker thread, sequentially. */
export const serve = <R extends Table<R>>(handlers: Handlers<R>): void => {
  parentPort?.on('message', ({ id, name, ask }: Ask<R>) => {
    const reply = (answer: Reply<R>): void => parentPort?.postMessage(answer);
    try {
      reply({ id, answer: handlers[name](ask) });
    } catch (error) {
      reply({ id, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
};

/** Error of a thread that ended with unanswered requests. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded';
}

/** Time limits by request in milliseconds; others are unlimited. */
type Limits<R extends Table<R>> = { readonly [Name in keyof R]?: number };

/** Factor of the time limit of a thread's first request, during which it loads its program. */
const FIRST_TIMES = 5;

interface Waiting<R extends Table<R>> {
  readonly name: keyof R;
  settle(reply: Reply<R> | Error): void;
}

/** Worker thread with typed requests. It keeps the process alive only during a request. */
export class Thread<R extends Table<R>> {
  readonly #worker: Worker;
  readonly #limits: Limits<R>;
  /** Pending requests in order; the thread works on the first. */
  readonly #waiting = new Map<number, Waiting<R>>();
  #last = 0;
  #isOver = false;
  #hasAnswered = false;
  #cause: Error | undefined;
  #alarm: NodeJS.Timeout | undefined;

  /** @param completed called once with the cause, unless the thread was closed */
  constructor(file: URL, completed: (error: Error) => void, limits: Limits<R> = {}) {
    this.#limits = limits;
    this.#worker = new Worker(file);
    this.#worker.unref();
    this.#worker.on('message', (reply: Reply<R>) => this.#settle(reply));
    this.#worker.on('error', (error: Error) => {
      this.#cause = error;
    });
    this.#worker.on('exit', (code) => {
      const wasClosed = this.#isOver;
      this.#isOver = true;
      clearTimeout(this.#alarm);
      const error = new ThreadEnded(`The thread ended (${code}).`, { cause: this.#cause });
      for (const waiting of [...this.#waiting.values()]) waiting.settle(error);
      this.#waiting.clear();
      if (!wasClosed) completed(error);
    });
  }

  #settle(reply: Reply<R>): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    this.#hasAnswered = true;
    this.#watch();
    if (this.#waiting.size === 0) this.#worker.unref();
    waiting?.settle(reply);
  }

  #watch(): void {
    clearTimeout(this.#alarm);
    const [first] = this.#waiting;
    const limit = first && this.#limits[first[1].name];
    if (!first || limit === undefined) return;
    const [id, { name }] = first;
    const ms = this.#hasAnswered ? limit : limit * FIRST_TIMES;
    this.#alarm = setTimeout(() => {
      // A response may already have arrived unread if this thread was the busy one.
      setImmediate(() => {
        if (!this.#waiting.has(id) || this.#isOver) return;
        this.#cause = new Error(`It worked on one ${String(name)} for more than ${ms} ms.`);
        void this.kill();
      });
    }, ms).unref();
  }

  /** @throws ThreadEnded; Error with what the thread threw */
  ask<Name extends keyof R>(name: Name, ask: R[Name]['ask']): Promise<R[Name]['answer']> {
    if (this.#isOver) return Promise.reject(new ThreadEnded('The thread has ended.'));
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      const settle = (reply: Reply<R> | Error): void => {
        if (reply instanceof Error) reject(reply);
        else if (reply.failure === undefined) resolve(reply.answer);
        else reject(new Error(reply.failure));
      };
      this.#waiting.set(id, { name, settle });
      if (this.#waiting.size === 1) this.#watch();
      this.#worker.ref();
      this.#worker.postMessage({ id, name, ask } satisfies Ask<R>);
    });
  }

  async kill(): Promise<void> {
    await this.#worker.terminate();
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await this.#worker.terminate();
  }
}
