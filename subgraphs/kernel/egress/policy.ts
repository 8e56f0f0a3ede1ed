import { isIP } from 'node:net';
import { isLoopback } from '../system/address.ts';
import { type AddressClass, classOf } from './host.ts';
import type { PolicyDocument } from './policy-document.ts';
import { createRuleIndex } from './rule-index.ts';

/** Reason of a block, as block errors and the record of decisions spell it. */
export type BlockReason =
  | 'host_invalid'
  | 'policy_not_loaded'
  | 'no_rule_matches'
  | 'loopback_not_allowed'
  | 'private_network_not_allowed'
  | 'special_address_not_allowed';

/** Destination with its host in the normal form. */
export interface NormalDestination {
  readonly host: string;
  readonly port: number;
  readonly transport: 'tcp' | 'udp' | 'http' | 'https';
  /** Address that the name resolved to, in the normal form. */
  readonly address?: string | undefined;
}

const REASONS: Readonly<Record<AddressClass, BlockReason>> = {
  loopback: 'loopback_not_allowed',
  private: 'private_network_not_allowed',
  special: 'special_address_not_allowed',
  public: 'no_rule_matches',
};

/** Compiles a policy to a function that returns the reason of a block, or undefined (proofs 8.1, decision order). */
export const compilePolicy = ({ allowLoopback, allowPrivateNetworks, allowRules }: PolicyDocument) => {
  const rules = createRuleIndex(allowRules);
  const isClassAllowed = (found: AddressClass): boolean =>
    (found === 'loopback' && allowLoopback) || (found === 'private' && allowPrivateNetworks);

  const judgeLiteral = (address: string, { port, transport }: NormalDestination): BlockReason | undefined => {
    const found = classOf(address);
    if (isClassAllowed(found) || rules.allowsAddress(address, port, transport)) return undefined;
    // `*` is any host and no class: what is not public needs its class or a rule of its own.
    return found === 'public' && rules.allowsAny(port, transport) ? undefined : REASONS[found];
  };

  const judgeName = ({ host, port, transport }: NormalDestination): BlockReason | undefined => {
    if (rules.allowsName(host, port, transport)) return undefined;
    if (!isLoopback(host)) return 'no_rule_matches';
    return allowLoopback ? undefined : 'loopback_not_allowed';
  };

  /** Judges the address of an allowed name: a public one needs the rule for the name, which `localhost` may lack. */
  const judgeAddress = (address: string, { host, port, transport }: NormalDestination): BlockReason | undefined => {
    const found = classOf(address);
    if (isClassAllowed(found) || rules.allowsAddress(address, port, transport)) return undefined;
    return found === 'public' && rules.allowsName(host, port, transport) ? undefined : REASONS[found];
  };

  return (destination: NormalDestination): BlockReason | undefined => {
    const { host, address } = destination;
    if (isIP(host) !== 0) return judgeLiteral(host, destination);
    return judgeName(destination) ?? (address === undefined ? undefined : judgeAddress(address, destination));
  };
};
