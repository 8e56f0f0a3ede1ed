import { AccessLayout } from './AccessLayout.tsx';
import { AccessSimulator } from './AccessSimulator.tsx';
import { RegistryPlans } from './RegistryPlans.tsx';
import { RegistrySigning } from './RegistrySigning.tsx';
import { RegistryTokens } from './RegistryTokens.tsx';

/** Registry access: the simulator, the plans, the issued tokens, and the signing configuration. */
export function RegistryPage() {
  return (
    <AccessLayout tab="registry">
      <AccessSimulator />
      <RegistryPlans />
      <RegistryTokens />
      <RegistrySigning />
    </AccessLayout>
  );
}
