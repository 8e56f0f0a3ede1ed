import assert from 'node:assert/strict';
import { BlockList, isIP } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { compilePolicy, type NormalDestination } from './policy.ts';
import type { EgressRule, PolicyDocument } from './policy-document.ts';
import { parsePattern } from './rule-index.ts';

const policy = (overrides: Partial<PolicyDocument> = {}): PolicyDocument => ({
  allowLoopback: false,
  allowPrivateNetworks: false,
  allowRules: [],
  remediationDocumentationUrl: null,
  supportContact: null,
  ...overrides,
});

const rule = (hostPattern: string, overrides: Partial<EgressRule> = {}): EgressRule => ({
  hostPattern,
  port: null,
  transport: null,
  ...overrides,
});

const judge = (given: PolicyDocument, host: string, overrides: Partial<NormalDestination> = {}) =>
  compilePolicy(given)({ host, port: 443, transport: 'https', ...overrides });

test('a pattern is a name, a suffix, an address, a subnet, or every host at one port', () => {
  const fit = [
    'a.example',
    '*.example',
    '10.0.0.0/8',
    '10.1.2.3',
    'fd00::/8',
    'BÜCHER.example',
    '0x7f.1',
    '::ffff:10.0.0.1',
  ];
  for (const pattern of fit) assert.ok(parsePattern(rule(pattern)), pattern);
  for (const pattern of [
    '*',
    'a.*',
    '*a.example',
    '*.*.example',
    'a.example/8',
    '10.0.0.0/33',
    '*.10.0.0.1',
    '::ffff:10.0.0.0/104',
    'a b',
    '*.',
  ])
    assert.equal(parsePattern(rule(pattern)), undefined, pattern);
  assert.ok(parsePattern(rule('*', { port: 443 })));
});

test('a suffix matches one or more labels below and not the apex', () => {
  const given = policy({ allowRules: [rule('*.example')] });
  assert.equal(judge(given, 'a.example'), undefined);
  assert.equal(judge(given, 'b.a.example'), undefined);
  assert.equal(judge(given, 'example'), 'no_rule_matches');
  assert.equal(judge(given, 'aexample'), 'no_rule_matches');
});

test('classes of addresses need their switch or a rule for addresses, and link-local ones a rule always', () => {
  const open = policy({ allowLoopback: true, allowPrivateNetworks: true, allowRules: [rule('*', { port: 443 })] });
  for (const host of ['127.0.0.1', 'localhost', '10.1.2.3', 'fd12::1', '1.1.1.1', 'a.example'])
    assert.equal(judge(open, host), undefined, host);
  for (const host of ['169.254.169.254', 'fe80::1', '0.0.0.0'])
    assert.equal(judge(open, host), 'special_address_not_allowed', host);
  assert.equal(judge(policy({ allowRules: [rule('169.254.0.0/16')] }), '169.254.169.254'), undefined);
  const closed = policy({ allowRules: [rule('*', { port: 443 })] });
  assert.equal(judge(closed, '127.0.0.1'), 'loopback_not_allowed');
  assert.equal(judge(closed, '10.1.2.3'), 'private_network_not_allowed');
});

test('an allowed name that resolves to a private, loopback or link-local address needs that class too', () => {
  const given = policy({ allowRules: [rule('*.example')] });
  assert.equal(judge(given, 'a.example', { address: '1.1.1.1' }), undefined);
  assert.equal(judge(given, 'a.example', { address: '10.0.0.1' }), 'private_network_not_allowed');
  assert.equal(judge(given, 'a.example', { address: '127.0.0.1' }), 'loopback_not_allowed');
  assert.equal(judge(given, 'a.example', { address: '169.254.169.254' }), 'special_address_not_allowed');
  const wider = policy({ ...given, allowRules: [...given.allowRules, rule('10.0.0.0/8', { port: 443 })] });
  assert.equal(judge(wider, 'a.example', { address: '10.0.0.1' }), undefined);
  assert.equal(judge(wider, 'a.example', { address: '10.0.0.1', port: 80 }), 'private_network_not_allowed');
  // A rule for the address does not allow every name that resolves to it.
  assert.equal(judge(wider, 'b.test', { address: '10.0.0.1' }), 'no_rule_matches');
});

test('a name of this machine that resolves elsewhere is blocked', () => {
  const given = policy({ allowLoopback: true });
  assert.equal(judge(given, 'db.localhost', { address: '127.0.0.1' }), undefined);
  assert.equal(judge(given, 'db.localhost', { address: '1.1.1.1' }), 'no_rule_matches');
});

const HOSTS = [
  'a.example',
  'b.a.example',
  'example',
  'c.test',
  '10.1.2.3',
  '10.200.0.1',
  '1.1.1.1',
  '2606:4700::1111',
  'fd12::1',
];
const PATTERNS = [
  'a.example',
  '*.example',
  '*.a.example',
  'c.test',
  '10.0.0.0/8',
  '10.1.0.0/16',
  '10.1.2.3',
  '2606:4700::/32',
  'fd00::/8',
  '0.0.0.0/0',
  '*',
];
const TRANSPORTS = ['tcp', 'udp', 'http', 'https'] as const;

/** The decision of a rule for a host, one rule at a time and without an index. */
const allowsPlainly = ({ hostPattern, port, transport }: EgressRule, asked: NormalDestination): boolean => {
  if (port !== null && port !== asked.port) return false;
  if (transport !== null && transport !== 'any' && transport !== asked.transport) return false;
  if (hostPattern === '*') return port !== null;
  if (isIP(asked.host) === 0)
    return hostPattern.startsWith('*.') ? asked.host.endsWith(hostPattern.slice(1)) : hostPattern === asked.host;
  const [network = '', prefix] = hostPattern.split('/');
  if (isIP(network) === 0 || isIP(network) !== isIP(asked.host)) return false;
  const list = new BlockList();
  const family = isIP(network) === 4 ? 'ipv4' : 'ipv6';
  list.addSubnet(network, Number(prefix ?? (family === 'ipv4' ? 32 : 128)), family);
  return list.check(asked.host, family);
};

test('the index of rules decides as the rules one after the other', () => {
  const rules = fc.record({
    hostPattern: fc.constantFrom(...PATTERNS),
    port: fc.constantFrom(null, 80, 443),
    transport: fc.constantFrom(null, 'any' as const, ...TRANSPORTS),
  });
  const asked = fc.record({
    host: fc.constantFrom(...HOSTS),
    port: fc.constantFrom(80, 443, 25),
    transport: fc.constantFrom(...TRANSPORTS),
  });
  fc.assert(
    fc.property(fc.array(rules, { maxLength: 8 }), asked, (allowRules, destination) => {
      const isPrivate = /^(10|fd)/.test(destination.host);
      const applying = allowRules.filter(({ hostPattern }) => !isPrivate || hostPattern !== '*');
      assert.equal(
        compilePolicy(policy({ allowRules }))(destination) === undefined,
        applying.some((each) => allowsPlainly(each, destination)),
      );
    }),
    { numRuns: 2_000 },
  );
});
