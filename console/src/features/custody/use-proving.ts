import { useApolloClient } from '@apollo/client/react';
import { useState } from 'react';
import { ChainDocument, ProveStatementDocument, type VerificationFragment } from '../../generated/operations.ts';
import { useVerb } from '../../lib/graph.ts';
import { t } from '../../lib/i18n.ts';
import type { Problem } from '../../lib/problem.ts';
import { toast } from '../../ui/Toast.tsx';

/** What the checks of this visit found, and the verb that runs them. */
export type Proving = {
  /** Holds statements against the log, one after the other; `name` is that of the link which is proven by it. */
  readonly prove: (refs: readonly string[], name: string | undefined) => Promise<void>;
  readonly busy: boolean;
  readonly problem: Problem | undefined;
  /** The newest verification of a statement in this visit. */
  readonly found: (ref: string | undefined) => VerificationFragment | undefined;
};

/** Proves in place: the page's chain is asked for again at once, and does not wait for the feed. */
export function useProving(): Proving {
  const verb = useVerb(ProveStatementDocument);
  const client = useApolloClient();
  const [found, keep] = useState<ReadonlyMap<string, VerificationFragment>>(new Map());
  const [running, setRunning] = useState(false);

  const each = async (refs: readonly string[]): Promise<VerificationFragment[]> => {
    const all: VerificationFragment[] = [];
    for (const attestationRef of refs) {
      const answer = await verb.run({ attestationRef });
      if (answer === undefined) break;
      all.push(answer.verifyAttestation);
      keep((before) => new Map(before).set(attestationRef, answer.verifyAttestation));
    }
    return all;
  };

  const prove = async (refs: readonly string[], name: string | undefined) => {
    setRunning(true);
    const all = await each(refs);
    await client.refetchQueries({ include: [ChainDocument] });
    setRunning(false);
    const verified = all.filter((one) => one.verified);
    const [only] = verified;
    if (verified.length < refs.length || only === undefined) return;
    toast(wordsOf(name, verified.length, only.log?.index));
  };
  return {
    prove,
    busy: running,
    problem: verb.problem,
    found: (ref) => (ref === undefined ? undefined : found.get(ref)),
  };
}

function wordsOf(name: string | undefined, n: number, index: string | undefined): string {
  if (name === undefined) return t('prove.done.lacking', { n });
  return n === 1 && index !== undefined
    ? t('prove.done', { name, n: Number(index) })
    : t('prove.done.many', { name, n });
}
