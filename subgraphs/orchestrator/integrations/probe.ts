import type { Fault } from '@landfall/kernel/fault';

/** What a remote party said when it was asked. */
export interface Probe {
  readonly ok: boolean;
  readonly code: string | null;
  readonly detail: string | null;
}

/** A refusal is an answer, and no answer is one too: a test of an integration never fails. */
export const probeOf = (refusal: Fault | undefined): Probe => ({
  ok: !refusal,
  code: refusal?.code ?? null,
  detail: refusal?.message ?? null,
});

/** As the rows of integrations and secret providers keep it: all null until they were asked. */
interface Probed {
  readonly probeOk: boolean | null;
  readonly probeCode: string | null;
  readonly probeDetail: string | null;
  readonly probeAt: Date | null;
}

export const lastProbe = ({ probeOk: ok, probeCode: code, probeDetail: detail, probeAt: at }: Probed) =>
  ok === null || at === null ? null : { ok, code, detail, at };
