import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeSources, codesIn } from '@landfall/schema/code-sources.ts';
import { codes, type FaultCode } from '@landfall/schema/codes';
import { errorPage, isImplied, raisersOf } from '@landfall/schema/error-page.ts';
import { repository } from '@landfall/schema/sdl.ts';
import { allOperations } from './publish.ts';

const operations = allOperations();
const sources = codeSources(repository);
const modules = new Set(operations.map(({ module }) => module));

const isDeclaredIn = (module: string, code: FaultCode): boolean =>
  operations.some((operation) => operation.module === module && operation.raises.includes(code));

/** The OAuth protocols' error names, which routes without an operation answer with. */
const isProtocolCode = (code: string): boolean => /^[a-z_]+$/.test(code) && code !== 'preflight_failed';

/** Codes that a module holds for another purpose than to refuse an operation, each with that purpose. */
const UNDECLARED: Readonly<Record<string, string>> = {
  'airgap INT_RESOURCE_NOT_FOUND': 'an image that the command that builds kits does not find',
  'orchestrator DEPLOY_ARTIFACT_MISSING': 'a finding of the preflight report',
  'search advisoryai.validation.tenant_required': 'the reader of every operation’s caller',
};

test('a code that a module’s source raises is declared by one of its operations', () => {
  const undeclared = [...sources].flatMap(([code, parts]) =>
    [...parts]
      .filter((part) => modules.has(part) && !isImplied(code) && !isProtocolCode(code) && !isDeclaredIn(part, code))
      .map((part) => `${part} ${code}`),
  );

  assert.deepEqual(undeclared.toSorted(), Object.keys(UNDECLARED));
});

test('a code that an operation declares is raised by its module or by the kernel', () => {
  const unraised = operations.flatMap(({ module, name, raises }) =>
    raises
      .filter((code) => !['kernel', module].some((part) => sources.get(code)?.has(part)))
      .map((code) => `${module}: ${name} declares ${code}`),
  );

  assert.deepEqual(unraised, []);
});

test('a code is found however it is thrown, and neither in a comment, a declaration nor a comparison', () => {
  const source = `
    /** @throws Fault 'ENV_FROZEN' */
    raises: ['GATE_TIMEOUT', 'GATE_POLICY_BLOCKED'],
    const RAISES: readonly FaultCode[] = ['WF_STEP_FAILED'];
    // new Fault('WF_CYCLE_DETECTED')
    if (error.code === 'PROM_DEPLOYING') return;
    throw new Fault(
      isOver ? 'DEPLOY_TIMEOUT' : 'AGT_OFFLINE', 'text');
    const WORDS = { lost: 'RES_AGENT_NOT_FOUND' };`;

  assert.deepEqual(codesIn(source), ['DEPLOY_TIMEOUT', 'AGT_OFFLINE', 'RES_AGENT_NOT_FOUND']);
});

test('the page names the declaring operations, and says so of a code that nothing raises', () => {
  const declared = [{ module: 'orchestrator', name: 'release.finalize', raises: ['REL_TAG_NOT_FOUND'] as const }];
  const page = errorPage(declared, new Map([['REL_TAG_NOT_FOUND', new Set(['orchestrator'])]]));

  assert.match(page, /^\| `REL_TAG_NOT_FOUND` .*\| `release\.finalize` \|$/m);
  assert.match(page, /^\| `ENV_FROZEN` .*\| nothing yet \|$/m);
});

test('every code outside the specification has something that raises it', () => {
  const isSpecified = (code: string): boolean => /^[A-Z_]+$/.test(code) || code === 'delivery_already_completed';
  const isCode = (code: string): code is FaultCode => Object.hasOwn(codes, code);
  const own = Object.keys(codes)
    .filter(isCode)
    .filter((code) => !isSpecified(code));

  assert.deepEqual(
    own.filter((code) => raisersOf(code, operations, sources).length === 0),
    [],
  );
});
