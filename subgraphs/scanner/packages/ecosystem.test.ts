import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ecosystemKey,
  ecosystemOf,
  isModularVersion,
  osvPackagesOf,
  packageNameKey,
  versionOrderOf,
} from './ecosystem.ts';
import { parsePurl } from './purl.ts';

/** Ecosystem, name and version of the first package, joined for brevity. */
const first = (purl: string): string | undefined => {
  const found = ecosystemOf(parsePurl(purl));
  return found && `${found.ecosystem} | ${found.packageName} | ${found.version}`;
};

const all = (purl: string): string[] =>
  osvPackagesOf(parsePurl(purl)).map(({ packageName, version }) => `${packageName} ${version}`);

test('packages of a language have the name that OSV writes', () => {
  assert.equal(first('pkg:npm/%40babel/core@7.1.0'), 'npm | @babel/core | 7.1.0');
  assert.equal(first('pkg:pypi/Zope_Interface@5.0'), 'PyPI | zope-interface | 5.0');
  assert.equal(first('pkg:maven/org.example/lib@1.2'), 'Maven | org.example:lib | 1.2');
  assert.equal(first('pkg:composer/acme/tool@1.0'), 'Packagist | acme/tool | 1.0');
  assert.equal(first('pkg:golang/golang.org/x/net@v0.1.0'), 'Go | golang.org/x/net | v0.1.0');
  assert.equal(first('pkg:golang/std@go1.20.3'), 'Go | stdlib | go1.20.3');
  assert.equal(first('pkg:cargo/rand@0.7.2'), 'crates.io | rand | 0.7.2');
  assert.equal(first('pkg:swift/github.com/acme/nio@2.0.0'), 'SwiftURL | github.com/acme/nio | 2.0.0');
  assert.equal(first('pkg:githubactions/actions/checkout@v4'), 'GitHub Actions | actions/checkout | v4');
  assert.equal(first('pkg:bitnami/wordpress@6.2.0?distro=debian-12'), 'Bitnami | wordpress | 6.2.0');
});

test('the release of a distribution is read from a number or a code name', () => {
  assert.equal(first('pkg:deb/debian/curl@7.88.1-10?distro=debian-12.5'), 'Debian:12 | curl | 7.88.1-10');
  assert.equal(first('pkg:deb/debian/curl@7.88.1-10?distro=bookworm'), 'Debian:12 | curl | 7.88.1-10');
  assert.equal(first('pkg:deb/ubuntu/curl@7.81?distro=ubuntu-22.04'), 'Ubuntu:22.04:LTS | curl | 7.81');
  assert.equal(first('pkg:deb/ubuntu/curl@8.9?distro=oracular'), 'Ubuntu:24.10 | curl | 8.9');
  assert.equal(first('pkg:apk/alpine/curl@8.0-r1?distro=3.18.4'), 'Alpine:v3.18 | curl | 8.0-r1');
  assert.equal(first('pkg:apk/wolfi/curl@8.0-r1'), 'Wolfi | curl | 8.0-r1');
  assert.equal(first('pkg:rpm/almalinux/curl@7.76-1.el9?distro=almalinux-9.2'), 'AlmaLinux:9 | curl | 7.76-1.el9');
  assert.equal(
    first('pkg:rpm/redhat/curl@7.76-1.el9?distro=rhel-9.2'),
    'Red Hat:enterprise_linux:9 | curl | 7.76-1.el9',
  );
  assert.equal(first('pkg:rpm/opensuse/curl@8.0-1?distro=opensuse-leap-15.5'), 'openSUSE:Leap 15.5 | curl | 8.0-1');
  assert.equal(first('pkg:rpm/suse/curl@8.0-1?distro=sles-15.5'), 'SUSE:Linux Enterprise Server 15 SP5 | curl | 8.0-1');
});

test('a package whose release is not stated has no ecosystem, and neither has an unknown type', () => {
  assert.equal(first('pkg:deb/debian/curl@7.88.1-10'), undefined);
  assert.equal(first('pkg:deb/debian/curl@7.88.1-10?distro=sid'), undefined);
  assert.equal(first('pkg:deb/debian/curl@7.88.1-10?distro=constructor'), undefined);
  assert.equal(first('pkg:rpm/fedora/curl@8.0?distro=fedora-39'), undefined);
  assert.equal(first('pkg:generic/openssl@1.1.1'), undefined);
  assert.equal(first('pkg:composer/tool@1.0'), undefined);
});

test('advisories for deb and apk are looked up by the source package, with its own version', () => {
  assert.deepEqual(all('pkg:deb/debian/libc6@2.36-9+b1?distro=debian-12&upstream=glibc%402.36-9'), ['glibc 2.36-9']);
  assert.deepEqual(all('pkg:apk/alpine/libcrypto3@3.1.4-r0?distro=3.18&upstream=openssl'), ['openssl 3.1.4-r0']);
});

test('an RPM package is looked up by its own name and its source, with the epoch in the version', () => {
  assert.deepEqual(
    all('pkg:rpm/almalinux/openssl-libs@3.0.7-1.el9?distro=almalinux-9&epoch=1&upstream=openssl-3.0.7-1.el9.src.rpm'),
    ['openssl-libs 1:3.0.7-1.el9', 'openssl 1:3.0.7-1.el9'],
  );
});

test('advisories and components are joined by keys that ignore spelling without meaning', () => {
  assert.equal(ecosystemKey('Red Hat:enterprise_linux:9::appstream'), 'Red Hat:enterprise_linux:9');
  assert.equal(ecosystemKey('Maven:https://repo.example.com/'), 'Maven');
  assert.equal(ecosystemKey('Ubuntu:22.04:LTS'), 'Ubuntu:22.04:LTS');
  assert.equal(packageNameKey('NuGet', 'Newtonsoft.Json'), packageNameKey('NuGet', 'newtonsoft.json'));
  assert.equal(packageNameKey('PyPI', 'Zope.Interface'), 'zope-interface');
  assert.equal(packageNameKey('Maven', 'org.Example:Lib'), 'org.Example:Lib');
});

test('an ecosystem with a release has the order of its family', () => {
  assert.equal(versionOrderOf('Rocky Linux:9')?.name, 'rpm');
  assert.equal(versionOrderOf('Alpine:v3.18')?.name, 'alpine');
  assert.equal(versionOrderOf('constructor'), undefined);
});

test('a version of an RPM module stream is recognised', () => {
  assert.ok(isModularVersion('1:18.20.4-1.module_el8.10.0+3885+9c6b4ae6'));
  assert.ok(!isModularVersion('7.76.1-26.el9'));
});
