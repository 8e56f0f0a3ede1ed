import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorityDocument, platformDocument } from './openapi.ts';
import { publishedRoutes } from './published.ts';

const operationsOf = ({ paths }: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(Object(paths)).flatMap(([path, item]) =>
    Object.keys(Object(item)).map((method) => `${method.toUpperCase()} ${path}`),
  );

test('the authority’s document is OpenAPI 3.1.0, version 0.1.0, of seven operations', () => {
  const document = authorityDocument(publishedRoutes(), 'http://127.0.0.1:4001');
  assert.equal(document.openapi, '3.1.0');
  assert.equal(Object(document.info).version, '0.1.0');
  assert.deepEqual(operationsOf(document).toSorted(), [
    'GET /oauth/introspect',
    'POST /introspect',
    'POST /oauth/introspect',
    'POST /oauth/revoke',
    'POST /oauth/token',
    'POST /revoke',
    'POST /token',
  ]);
});

test('each operation says how its caller authenticates', () => {
  const { paths } = authorityDocument(publishedRoutes(), 'http://127.0.0.1:4001');
  const { security, 'x-client-authentication': methods } = Object(paths)['/introspect'].post;
  assert.deepEqual(security, [{ clientBasic: [] }, { clientCertificate: [] }, {}]);
  assert.deepEqual(methods, [
    'client_secret_basic',
    'client_secret_post',
    'tls_client_auth',
    'self_signed_tls_client_auth',
  ]);
  assert.deepEqual(Object(paths)['/oauth/introspect'].get.security, []);
  const platform = platformDocument(publishedRoutes(), { version: '0.1.0', server: 'http://127.0.0.1:4000' });
  assert.deepEqual(Object(platform.paths)['/token'].get.security, [{ bearer: [] }]);
  assert.deepEqual(Object(platform.components).securitySchemes.clientBasic, undefined, 'only what is named');
});

test('a deprecated alias says so in the document, its successor does not', () => {
  const { paths } = authorityDocument(publishedRoutes(), 'http://127.0.0.1:4001');
  assert.equal(Object(paths)['/oauth/token'].post.deprecated, true);
  assert.equal('deprecated' in Object(paths)['/token'].post, false);
});

test('every parameter of a path is declared once, and every operation has a name of its own', () => {
  const document = platformDocument(publishedRoutes(), { version: '0.1.0', server: 'http://127.0.0.1:4000' });
  const names: string[] = [];
  for (const [path, item] of Object.entries(Object(document.paths)))
    for (const operation of Object.values(Object(item))) {
      const { operationId, parameters = [] } = Object(operation);
      names.push(operationId);
      const declared = Array.from<{ in: string; name: string }>(parameters)
        .filter((parameter) => parameter.in === 'path')
        .map(({ name }) => name);
      assert.deepEqual(
        declared,
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
        path,
      );
    }
  assert.equal(new Set(names).size, names.length);
});
