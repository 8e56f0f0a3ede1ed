import type { CustodyState, CustodyStatementFragment, CustodyStepFragment } from '../../generated/operations.ts';

type Step = CustodyStepFragment;
type Statement = CustodyStatementFragment;

/** States from the weakest to the strongest. */
const STRENGTH: readonly CustodyState[] = ['MISSING', 'SIGNED', 'PROVEN'];

const strength = (state: CustodyState): number => STRENGTH.indexOf(state);

/** Link that is opened first: one that can be proven here, else a missing one, else the landing. */
export const firstToOpen = <S extends Pick<Step, 'step' | 'state' | 'statements'>>(
  steps: readonly S[],
): S | undefined =>
  steps.find(({ state, statements }) => state === 'SIGNED' && statements.some(({ attestation }) => attestation)) ??
  steps.find(({ state }) => state === 'MISSING') ??
  steps.find(({ step }) => step === 'DEPLOY') ??
  steps[0];

/** Name of a statement in the URL: the platform's reference, else its digest or component. */
const nameOf = ({ attestation, digest, component, environment, predicateType }: Statement): string =>
  attestation?.ref ?? [component ?? environment?.id ?? '', digest ?? predicateType].join(' ').trim();

/** Statements with unique names: an image may carry the same one twice. */
export function namedStatements(
  statements: readonly Statement[],
): readonly { readonly name: string; readonly statement: Statement }[] {
  const counts = new Map<string, number>();
  return statements.map((statement) => {
    const name = nameOf(statement);
    const times = (counts.get(name) ?? 0) + 1;
    counts.set(name, times);
    return { name: times === 1 ? name : `${name} ${times}`, statement };
  });
}

/** Statement that is opened: the one of the address, else the first of the weakest. */
export const statementToOpen = (statements: readonly Statement[], requested: string | undefined) => {
  const all = namedStatements(statements);
  const weakest = all.toSorted((a, b) => strength(a.statement.state) - strength(b.statement.state))[0];
  return all.find(({ name }) => name === requested) ?? weakest;
};

/** Line from a link to the next: broken where either is missing. */
export function connectorAfter(steps: readonly Pick<Step, 'state'>[], index: number): 'proven' | 'signed' | 'broken' {
  const [cellStates, next] = [steps[index]?.state, steps[index + 1]?.state];
  if (cellStates === undefined || cellStates === 'MISSING' || next === undefined || next === 'MISSING') return 'broken';
  return cellStates === 'PROVEN' ? 'proven' : 'signed';
}

/** Statement of the platform that the user may verify against the log. */
export type Provable = { readonly ref: string; readonly statement: Statement };

/** Statements that a verification of a link covers: those not proven and the open one, or all where each is proven. */
export function provableStatements(step: Pick<Step, 'statements'>, open?: string): readonly Provable[] {
  const own = step.statements.flatMap((statement) =>
    statement.attestation?.viewerCanProve.allowed === true ? [{ ref: statement.attestation.ref, statement }] : [],
  );
  const unproven = own.filter(({ statement, ref }) => statement.state !== 'PROVEN' || ref === open);
  return unproven.some(({ statement }) => statement.state !== 'PROVEN') ? unproven : own;
}

/** Rule that forbids the user to prove a link; undefined where none does, or there is nothing to prove. */
export const proofRule = (step: Pick<Step, 'statements'>) =>
  step.statements.map(({ attestation }) => attestation?.viewerCanProve).find((one) => one?.allowed === false);

/** Links by state, each list in the order of the chain. */
export const linksByState = <S extends Pick<Step, 'state'>>(
  steps: readonly S[],
): Readonly<Record<CustodyState, S[]>> => ({
  MISSING: steps.filter(({ state }) => state === 'MISSING'),
  SIGNED: steps.filter(({ state }) => state === 'SIGNED'),
  PROVEN: steps.filter(({ state }) => state === 'PROVEN'),
});
