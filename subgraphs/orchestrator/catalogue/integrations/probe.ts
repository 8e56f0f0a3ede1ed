import { Fault } from '@landfall/kernel/core/fault';

/** Answer of a remote system to a probe. */
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

/** Refuses to ask a remote party that is disabled: nothing is sent there until it is enabled. */
export const disabledRefusal = (
  noun: string,
  { id, name, disabledAt }: { readonly id: string; readonly name: string; readonly disabledAt: Date | null },
): Fault | undefined =>
  disabledAt
    ? new Fault('RES_CONFLICT', `The ${noun} ${name} is disabled, so that nothing is asked there. Enable it first.`, {
        id,
        disabledAt: disabledAt.toISOString(),
      })
    : undefined;

/** As the rows of integrations and secret providers keep it: all null until they were asked. */
interface Probed {
  readonly probeOk: boolean | null;
  readonly probeCode: string | null;
  readonly probeDetail: string | null;
  readonly probeAt: Date | null;
}

export const lastProbe = ({ probeOk: ok, probeCode: code, probeDetail: detail, probeAt: at }: Probed) =>
  ok === null || at === null ? null : { ok, code, detail, at };
