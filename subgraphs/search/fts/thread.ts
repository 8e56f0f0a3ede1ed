import { parentPort, Worker } from 'node:worker_threads';

/** What each request of a thread asks and answers. */
type Table<R> = { readonly [Name in keyof R]: { readonly ask: unknown; readonly answer: unknown } };

/** What goes to a thread. */
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

/** What a thread does with each request. */
export type Handlers<R extends Table<R>> = { readonly [Name in keyof R]: (ask: R[Name]['ask']) => R[Name]['answer'] };

/** In a thread: answers requests, one after the other. */
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

/** A thread that ended with requests unanswered. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded';
}

/** A thread that can be asked. It keeps the process alive only while it is. */
export class Thread<R extends Table<R>> {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, (reply: Reply<R> | Error) => void>();
  #last = 0;
  #isOver = false;

  /** @param ended is told once, unless the thread was closed: with what it died of */
  constructor(file: URL, ended: (error: Error) => void) {
    this.#worker = new Worker(file);
    let cause: Error | undefined;
    this.#worker.unref();
    this.#worker.on('message', (reply: Reply<R>) => this.#settle(reply));
    this.#worker.on('error', (error: Error) => {
      cause = error;
    });
    this.#worker.on('exit', (code) => {
      const wasClosed = this.#isOver;
      this.#isOver = true;
      const error = new ThreadEnded(`The thread ended (${code}).`, { cause });
      for (const waiting of [...this.#waiting.values()]) waiting(error);
      this.#waiting.clear();
      if (!wasClosed) ended(error);
    });
  }

  #settle(reply: Reply<R>): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#worker.unref();
    waiting?.(reply);
  }

  /** @throws ThreadEnded; Error with what the thread threw */
  ask<Name extends keyof R>(name: Name, ask: R[Name]['ask']): Promise<R[Name]['answer']> {
    if (this.#isOver) return Promise.reject(new ThreadEnded('The thread has ended.'));
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, (reply) => {
        if (reply instanceof Error) reject(reply);
        else if (reply.failure === undefined) resolve(reply.answer);
        else reject(new Error(reply.failure));
      });
      this.#worker.ref();
      this.#worker.postMessage({ id, name, ask } satisfies Ask<R>);
    });
  }

  /** Ends the thread as if it had died. */
  async kill(): Promise<void> {
    await this.#worker.terminate();
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await this.#worker.terminate();
  }
}
