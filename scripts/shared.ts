import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Type, { type Static } from 'typebox';
import { Parse } from 'typebox/value';
import { root } from './tools.ts';

const ready = Type.Object({ browser: Type.Optional(Type.String()), credentials: Type.Array(Type.String()) });

/** A browser's address, where one starts here, and the credentials files of products. */
interface Shared extends Static<typeof ready> {
  end(): Promise<void>;
}

/** Starts one browser and so many products for the browser tests. */
export const startShared = async (products: number): Promise<Shared> => {
  const child = spawn(process.execPath, [join(root, 'e2e/shared.ts'), String(products)], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const end = async (): Promise<void> => {
    child.stdin.end();
    await exited;
  };
  for await (const line of createInterface(child.stdout)) return { ...Parse(ready, JSON.parse(line)), end };
  throw new Error('The product or the browser that browser tests share did not start; see above.');
};
