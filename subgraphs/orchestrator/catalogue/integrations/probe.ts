import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { named, sql, trusted } from '@landfall/kernel/db/sql';
import { boolean, instant, type Shape, text } from '@landfall/kernel/db/table';

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

/** Columns of a saved remote system: its last probe, null until it was asked, and since when it is not asked. */
export const remoteSystemColumns = {
  probeOk: boolean.nullable(),
  probeCode: text.nullable(),
  probeDetail: text.nullable(),
  probeAt: instant.nullable(),
  disabledAt: instant.nullable(),
};

/** Values of the columns after a change of the address or the credentials. */
export const noProbe = { probeOk: null, probeCode: null, probeDetail: null, probeAt: null } as const;

/** Statement that records a probe, unless the remote system was removed meanwhile. */
export const probeRecorder =
  <Row>(shape: Shape<Row>) =>
  (tx: Tx, tenant: TenantId, id: string, { ok, code, detail }: Probe, by: string): Promise<Row | undefined> =>
    tx.find(
      shape,
      named(
        `${shape.name}.recordProbe`,
        sql`update ${trusted(shape.name)}
    set probe_ok = ${ok}, probe_code = ${code}, probe_detail = ${detail}, probe_at = kernel.now(),
      updated_by = ${by}, updated_at = kernel.now(), version = version + 1
    where tenant = ${tenant} and id = ${id}
    returning ${shape.columns}`,
      ),
    );

interface Probed {
  readonly probeOk: boolean | null;
  readonly probeCode: string | null;
  readonly probeDetail: string | null;
  readonly probeAt: Date | null;
}

export const lastProbe = ({ probeOk: ok, probeCode: code, probeDetail: detail, probeAt: at }: Probed) =>
  ok === null || at === null ? null : { ok, code, detail, at };
