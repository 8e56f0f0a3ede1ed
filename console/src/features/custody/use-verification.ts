import { useApolloClient } from '@apollo/client/react';
import { useState } from 'react';
import {
  CustodyChainDocument,
  type CustodyStepFragment,
  type VerificationFragment,
  VerifyStatementDocument,
} from '../../generated/operations.ts';
import { useAction } from '../../lib/graph-hooks.ts';
import { listText } from '../../lib/i18n.ts';
import type { Problem } from '../../lib/problem.ts';
import { toast } from '../../ui/Toast.tsx';
import type { Provable } from './custody-chain.ts';
import { t } from './labels.ts';
import { statementSubject } from './statement-text.ts';

export type Verification = {
  /** Verifies statements of a link against the log, one after the other. */
  readonly prove: (statements: readonly Provable[], step: CustodyStepFragment['step']) => Promise<void>;
  readonly busy: boolean;
  readonly problem: Problem | undefined;
  readonly found: (ref: string | undefined) => VerificationFragment | undefined;
};

/** Verifies in place: the chain is refetched at once, without waiting for the feed. */
export function useVerification(releaseId: string): Verification {
  const verb = useAction(VerifyStatementDocument);
  const client = useApolloClient();
  const [found, saveResult] = useState<ReadonlyMap<string, VerificationFragment>>(new Map());
  const [running, setRunning] = useState(false);

  const each = async (statements: readonly Provable[]): Promise<VerificationFragment[]> => {
    const all: VerificationFragment[] = [];
    for (const { ref } of statements) {
      const answer = await verb.run({ attestationRef: ref });
      if (answer === undefined) break;
      all.push(answer.verifyAttestation);
      saveResult((before) => new Map(before).set(ref, answer.verifyAttestation));
    }
    return all;
  };

  const prove = async (statements: readonly Provable[], name: CustodyStepFragment['step']) => {
    setRunning(true);
    const verified = (await each(statements)).filter((one) => one.verified);
    // Either result may change the link's state, and another check of it may still be missing.
    await client.refetchQueries({ include: [CustodyChainDocument] });
    setRunning(false);
    if (verified.length < statements.length) return;
    const chain = client.readQuery({ query: CustodyChainDocument, variables: { id: releaseId } });
    const now = chain?.custody?.steps.find(({ step }) => step === name);
    toast(wordsOf(now?.state === 'PROVEN' ? t(`custody.${name}`) : undefined, statements, verified[0]?.log?.index));
  };
  return {
    prove,
    busy: running,
    problem: verb.problem,
    found: (ref) => (ref === undefined ? undefined : found.get(ref)),
  };
}

function wordsOf(name: string | undefined, statements: readonly Provable[], index: string | undefined): string {
  const of = listText(new Set(statements.map(({ statement }) => statementSubject(statement))));
  if (name === undefined) return t('prove.done.incomplete', { of });
  return statements.length === 1 && index !== undefined
    ? t('prove.done', { name, of, n: Number(index) })
    : t('prove.done.many', { name, of });
}
