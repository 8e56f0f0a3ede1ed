import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPlatformVariable } from '@landfall/agent/secrets/host-secrets';
import { fileVariable } from './secret-files.ts';
import { gatewaySettings } from './settings.ts';
import { refuseUnknownVariables } from './unknown-variables.ts';

test('a misspelt setting of the registry token service is refused by its name, and not ignored', () => {
  for (const name of ['REGISTRY_TOKEN_REVOKEDLICENCES', 'REGISTRY_TOKEN_PLAN__pro', 'registry_token_defaultplan'])
    assert.throws(() => refuseUnknownVariables({ [name]: 'x' }), new RegExp(`${name}: is no setting.*REVOKEDLICENSES`));
});

test('what is a setting, an entry of one, empty or another program’s is let through', () => {
  refuseUnknownVariables({
    REGISTRY_TOKEN_REVOKEDLICENSES: 'L-1',
    REGISTRY_TOKEN_PLANS__pro: 'acme/*:pull',
    REGISTRY_TOKEN_PLANS__Pro__Actions__0: 'pull',
    REGISTRY_TOKEN_SIGNING__PASSWORD_FILE: '/run/secrets/signing',
    REGISTRY_TOKEN_UNSET: '',
    REGISTRY_TOKENS: 'x',
    PATH: '/bin',
  });
});

test('an agent gives none of the secret settings to a release, in either spelling', () => {
  const secrets = Object.values(gatewaySettings).filter((setting) => 'secret' in setting && setting.secret);
  const variables = secrets.flatMap((setting) => [
    ...('env' in setting ? [setting.env, fileVariable(setting.env)] : []),
    ...('name' in setting ? [setting.name.replaceAll(':', '__')] : []),
  ]);
  assert.ok(variables.length >= 2 * secrets.length);
  assert.deepEqual(
    variables.filter((variable) => !isPlatformVariable(variable)),
    [],
  );
});
