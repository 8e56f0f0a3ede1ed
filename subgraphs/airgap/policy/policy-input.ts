import { type FieldFault, invalid } from '@landfall/kernel/core/fault';
import type { PolicyDocument } from '@landfall/kernel/egress/policy-document';
import { parsePattern } from '@landfall/kernel/egress/rule-index';
import { freeText, oneOf } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';

const rule = Type.Object({
  hostPattern: Type.String({ minLength: 1, maxLength: 253 }),
  port: Type.Optional(Type.Union([Type.Integer({ minimum: 1, maximum: 65_535 }), Type.Null()])),
  transport: Type.Optional(Type.Union([oneOf('any', 'tcp', 'udp', 'http', 'https'), Type.Null()])),
});

const optionalText = (max: number) => Type.Optional(Type.Union([freeText(max), Type.Null()]));

/** Egress policy as an operator sends it (spec 2.7). */
export const policyInput = Type.Object({
  allowLoopback: Type.Optional(Type.Boolean()),
  allowPrivateNetworks: Type.Optional(Type.Boolean()),
  allowRules: Type.Optional(Type.Array(rule, { maxItems: 1_000 })),
  remediationDocumentationUrl: optionalText(2_000),
  supportContact: optionalText(500),
});

const isWebAddress = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '');

/** Reads a policy. @throws Fault VAL_INVALID_FORMAT that names each pattern that cannot be read */
export const policyOf = (input: Static<typeof policyInput>): PolicyDocument => {
  const { remediationDocumentationUrl: url = null, supportContact = null } = input;
  const allowRules = (input.allowRules ?? []).map(({ hostPattern, port = null, transport = null }) => ({
    hostPattern,
    port,
    transport,
  }));
  const faults = allowRules.flatMap((each, index): FieldFault[] =>
    parsePattern(each)
      ? []
      : [
          {
            field: `policy.allowRules.${index}.hostPattern`,
            message: `${each.hostPattern} is no name, *.name, address or subnet, nor * with a port`,
            code: 'VAL_INVALID_FORMAT',
          },
        ],
  );
  if (url !== null && !isWebAddress(url))
    faults.push({
      field: 'policy.remediationDocumentationUrl',
      message: 'remediationDocumentationUrl is no address of http or https',
      code: 'VAL_INVALID_FORMAT',
    });
  const [first, ...rest] = faults;
  if (first) throw invalid([first, ...rest]);
  return {
    allowLoopback: input.allowLoopback ?? false,
    allowPrivateNetworks: input.allowPrivateNetworks ?? false,
    allowRules,
    remediationDocumentationUrl: url,
    supportContact,
  };
};
