import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import { boolean, instant, text } from '@landfall/kernel/db/columns';
import type { Tx } from '@landfall/kernel/db/query';
import { byName, sql, trusted } from '@landfall/kernel/db/sql';
import type { Shape } from '@landfall/kernel/db/table';

/** Result of probing a remote system. */
export interface Probe {
  readonly ok: boolean;
  readonly code: string | null;
  readonly detail: string | null;
}

/**
 * Converts the outcome of a request to a probe result. A probe never throws: a refusal or no answer is a result too.
 */
export const probeOf = (refusal: Fault | undefined): Probe => ({
  ok: !refusal,
  code: refusal?.code ?? null,
  detail: refusal?.message ?? null,
});

/** Fault for a disabled remote system: the platform sends nothing there until it is enabled. */
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

/**
 * Columns of a saved remote system: its last probe, null before the first one, and the time at which it was disabled.
 */
export const remoteSystemColumns = {
  probeOk: boolean.nullable(),
  probeCode: text.nullable(),
  probeDetail: text.nullable(),
  probeAt: instant.nullable(),
  disabledAt: instant.nullable(),
};

/** Column values that delete the last probe, after a change of address or credentials. */
export const noProbe = { probeOk: null, probeCode: null, probeDetail: null, probeAt: null } as const;

/** Builds the statement that records a probe; it changes nothing when the remote system was removed meanwhile. */
export const probeRecorder =
  <Row>(shape: Shape<Row>) =>
  (tx: Tx, tenant: TenantId, id: string, { ok, code, detail }: Probe, by: string): Promise<Row | undefined> =>
    tx.find(
      shape,
      byName(
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
