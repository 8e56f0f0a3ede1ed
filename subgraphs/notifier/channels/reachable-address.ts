import { type FieldFault, invalid } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { HttpClient } from '@landfall/kernel/http/client';

/** Address that is entered, with the field that has it. */
export interface EnteredAddress {
  readonly field: string;
  readonly url: string;
  /** Whether a person entered it, so that no administrator named it. */
  readonly isPersonal?: boolean;
}

/**
 * Refuses addresses that egress refuses whatever their names resolve to: IP literals, names of this machine, plain HTTP. Others
 * are judged when something is sent to them.
 * @throws Fault VAL_INVALID_VALUE
 */
export const refuseUnreachable = (
  http: Pick<HttpClient, 'refusal'>,
  tenant: TenantId,
  addresses: readonly EnteredAddress[],
): void => {
  const [first, ...rest] = addresses.flatMap(({ field, url, isPersonal = false }): FieldFault[] => {
    const origin = URL.parse(url)?.origin;
    const vouched = new Set(origin === undefined || isPersonal ? [] : [origin]);
    const refusal = http.refusal({ url, tenant, vouched });
    return refusal
      ? [{ field, message: `cannot be reached from here. ${refusal.message}`, code: 'VAL_INVALID_VALUE' }]
      : [];
  });
  if (first) throw invalid([first, ...rest]);
};
