import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bitsOf, classOf, normalHost } from './host.ts';

const octet = fc.integer({ min: 0, max: 255 });
const ipv4 = fc.tuple(octet, octet, octet, octet);
const label = fc.stringMatching(/^[a-z][a-z0-9]{0,10}$/);
const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));

test('every spelling of an IPv4 address is one host', () => {
  fc.assert(
    fc.property(ipv4, (octets) => {
      const plain = octets.join('.');
      const number = octets.reduce((bits, part) => bits * 256 + part, 0);
      const spellings = [
        plain,
        `${plain}.`,
        `[::ffff:${plain}]`,
        `::ffff:${plain}`,
        `::FFFF:${(number >>> 16).toString(16)}:${(number & 0xffff).toString(16)}`,
        octets.map((part) => `0${part.toString(8)}`).join('.'),
        octets.map((part) => `0x${part.toString(16)}`).join('.'),
        `0x${number.toString(16)}`,
        String(number),
      ];
      for (const spelling of spellings) assert.equal(normalHost(spelling), plain, spelling);
      assert.equal(bitsOf(plain).bits, BigInt(number));
    }),
  );
});

test('a name is the same in any case, with the dot of the root, and as an international name', () => {
  fc.assert(
    fc.property(name, (text) => {
      assert.equal(normalHost(text.toUpperCase()), text);
      assert.equal(normalHost(`${text}.`), text);
    }),
  );
  assert.equal(normalHost('BÜCHER.example'), 'xn--bcher-kva.example');
  assert.equal(normalHost('xn--bcher-kva.example'), 'xn--bcher-kva.example');
  assert.equal(normalHost('example。com'), 'example.com');
  assert.equal(normalHost('①②⑦.⓪.⓪.①'), '127.0.0.1');
});

test('a host in its normal form stays as it is, and no text throws', () => {
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.ipV6(), name, fc.webAuthority());
  fc.assert(
    fc.property(text, (given) => {
      const host = normalHost(given);
      if (host !== undefined) assert.equal(normalHost(host), host);
    }),
    { numRuns: 500 },
  );
});

test('what is no host is none', () => {
  const texts = ['', '.', '..', 'a b', 'a/b', 'a@b', 'a:80', 'a#b', '256.1.1.1', '1.2.3.4.5', '[fe80::1%25eth0]'];
  for (const text of [...texts, 'fe80::1%eth0', 'xn--\u0000', 'a\tb', 'a\nb', 'a..'])
    assert.equal(normalHost(text), undefined, JSON.stringify(text));
});

test('addresses have the classes of the policy; link-local and reserved ones are never private', () => {
  const classes = {
    loopback: ['127.0.0.1', '127.255.0.1', '::1'],
    private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '100.127.255.255', 'fd12::1'],
    special: [
      '169.254.169.254',
      'fe80::1',
      'fd00:ec2::254',
      '0.0.0.0',
      '::',
      '224.0.0.1',
      '192.0.2.1',
      '64:ff9b::7f00:1',
    ],
    public: ['1.1.1.1', '172.32.0.1', '172.15.0.1', '100.128.0.1', '192.169.0.1', '2606:4700::1111'],
  };
  for (const [expected, addresses] of Object.entries(classes))
    for (const address of addresses) assert.equal(classOf(normalHost(address) ?? ''), expected, address);
});
