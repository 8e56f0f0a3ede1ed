import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createPlatform, DEPLOYMENT, PREDICATE_TYPE, SUBJECT } from '@landfall/attestation/bundle/bundle.fixture';
import type { Command, Terminal } from '@landfall/kernel/operator/command';
import { auditVerify } from './audit-verify.ts';
import { landfall, landfallProgram } from './cli-process.fixture.ts';
import { keysList, keysRotate } from './keys.ts';
import { verify as verifyCommand } from './verify.ts';

let home: string;
let [bundle, trust, otherTrust]: readonly string[] = [];

before(async () => {
  home = await mkdtemp(join(tmpdir(), 'landfall-verify-'));
  const platform = createPlatform();
  const write = async (name: string, text: string): Promise<string> => {
    const path = join(home, name);
    await writeFile(path, text);
    return path;
  };
  bundle = await write('bundle.json', await platform.bundle());
  trust = await write('trust.json', platform.trust);
  otherTrust = await write('other-trust.json', createPlatform().trust);
});
after(() => rm(home, { recursive: true, force: true }));

/** Terminal that fails the test when a command writes to it. */
const UNUSED: Terminal = { env: {}, readInput: async () => '', print: assert.fail, warn: assert.fail };

const verify = (...args: string[]) => landfall(['verify', ...args]);
const about = ['--subject', `sha256:${SUBJECT}`, '--predicate', PREDICATE_TYPE];

test('a bundle is verified by two files alone: no database, no network, no other process, no environment', async () => {
  const flags = [
    '--permission',
    '--allow-fs-read=*',
    `--import=${new URL('./without-database.fixture.ts', import.meta.url).href}`,
  ];
  const args = ['verify', bundle ?? '', '--trust', trust ?? '', ...about, '--deployment', DEPLOYMENT];
  const { code, out, err } = await landfallProgram(args, { flags });
  assert.deepEqual([code, err], [0, ''], out + err);
  for (const check of ['signature', 'body', 'inclusion', 'checkpoint', 'subject', 'predicate'])
    assert.match(out, new RegExp(`^ {2}ok {4}${check}$`, 'm'));
  assert.match(out, /^ {2}- {5}consistency {2}.*only the log can say/m);
  assert.match(out, /^ {8}log landfall\.example, entry 7 of 8$/m);
  assert.match(out, /^Verified\.$/m);
});

test('what is another than expected fails by name; what nothing is expected of is not verified', async () => {
  const files = [bundle ?? '', '--trust', trust ?? ''];
  const subject = await verify(...files, '--subject', `sha256:${'0'.repeat(64)}`, '--predicate', PREDICATE_TYPE);
  assert.equal(subject.code, 1);
  assert.match(subject.out, /^ {2}FAIL {2}subject .*not among the subjects/m);
  assert.match(subject.out, /^Not verified\. subject-differs: /m);
  const deployment = await verify(...files, ...about, '--deployment', '00000000-0000-7000-8000-000000000000');
  assert.deepEqual([deployment.code, /FAIL {2}predicate/.test(deployment.out)], [1, true]);
  const withoutExpected = await verify(...files);
  assert.equal(withoutExpected.code, 2);
  assert.match(withoutExpected.out, /^It says that it is about\n {2}https:\S+\n/m);
  assert.match(withoutExpected.out, /^ {2}\S+ sha256:[0-9a-f]{64}$/m);
  assert.match(
    withoutExpected.out,
    /^Not verified: subject and predicate could not be checked\. Say what it must be about\.$/m,
  );
  const unrelated = await verify(bundle ?? '', '--trust', otherTrust ?? '', ...about);
  assert.deepEqual([unrelated.code, /FAIL {2}signature .*is not trusted/.test(unrelated.out)], [1, true]);
});

test('the GUID of a deployment is read in any case, and other words as they are written', async () => {
  const files = [bundle ?? '', '--trust', trust ?? '', ...about];
  const upper = await verify(...files, '--deployment', DEPLOYMENT.toUpperCase());
  assert.deepEqual([upper.code, /^Verified\.$/m.test(upper.out)], [0, true], upper.out);
  const type = ['--subject', `sha256:${SUBJECT}`, '--predicate', PREDICATE_TYPE.toUpperCase()];
  const upperCase = await verify(bundle ?? '', '--trust', trust ?? '', ...type, '--deployment', DEPLOYMENT);
  assert.deepEqual([upperCase.code, /predicate-type-differs/.test(upperCase.out)], [1, true], upperCase.out);
});

test('a file that is no bundle fails; one that is no trust document, or is not there, is not checked against', async () => {
  const junk = join(home, 'junk');
  await writeFile(junk, '{"a":1,"a":2}');
  const bad = await verify(junk, '--trust', trust ?? '', ...about);
  assert.deepEqual([bad.code, /FAIL {2}signature .*bundle-malformed/.test(bad.out)], [1, true], bad.out);
  const untrusted = await verify(bundle ?? '', '--trust', junk, ...about);
  assert.deepEqual([untrusted.code, untrusted.out], [2, '']);
  assert.match(untrusted.err, /junk is no trust document: /);
  const missing = await verify(join(home, 'missing'), '--trust', trust ?? '');
  assert.deepEqual([missing.code, /cannot be read \(ENOENT\)/.test(missing.err)], [2, true]);
});

test('help is there for the program and each command; what is unknown is refused with it', async () => {
  const help = await landfall(['--help']);
  assert.deepEqual([help.code, help.err], [0, '']);
  const commands = {
    verify: verifyCommand,
    'audit verify': auditVerify,
    'keys list': keysList,
    'keys rotate': keysRotate,
  };
  for (const [message, command] of Object.entries(commands)) {
    assert.match(help.out, new RegExp(`^ {2}${message} `, 'm'));
    assert.ok(command.help.startsWith(`usage: landfall ${message}`));
    await assert.rejects(command.run(['--frob'], UNUSED), /^UsageError: Unknown option '--frob'\.$/);
  }
  const own = await landfall(['verify', '--help']);
  assert.deepEqual([own.code, own.out], [0, `${verifyCommand.help}\n`]);
  const unknown = await landfall(['frob']);
  assert.deepEqual([unknown.code, unknown.out], [2, '']);
  assert.match(unknown.err, /^There is no command 'frob'\.\n\nusage: landfall <command>/);
  const flag = await landfall(['verify', '--frob']);
  assert.deepEqual([flag.code, flag.out], [2, '']);
  assert.match(flag.err, /^Unknown option '--frob'\.\n\nusage: landfall verify/);
});

test('arguments that are missing or too many are named', async () => {
  const refusals: readonly (readonly [Command, readonly string[], RegExp])[] = [
    [verifyCommand, [], /^UsageError: BUNDLE is missing\.$/],
    [verifyCommand, ['a'], /^UsageError: --trust is missing\.$/],
    [verifyCommand, ['a', 'b', '--trust', 'c'], /^UsageError: Unexpected argument 'b'\.$/],
    [auditVerify, ['--checkpoint'], /^UsageError: Option '--checkpoint <value>' argument missing/],
    [keysRotate, [], /^UsageError: attestation\|log\|manifest\|timestamp is missing\.$/],
    [keysRotate, ['door'], /^UsageError: 'door' is no purpose of a key/],
  ];
  for (const [command, args, output] of refusals) await assert.rejects(command.run(args, UNUSED), output);
});
