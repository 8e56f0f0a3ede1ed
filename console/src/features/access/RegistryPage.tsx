import { Frame } from './Frame.tsx';
import { RegistryPlans } from './RegistryPlans.tsx';
import { RegistrySigning } from './RegistrySigning.tsx';
import { RegistryTokens } from './RegistryTokens.tsx';
import { Simulator } from './Simulator.tsx';

/** Who may push and pull what, and why not; how registries know these tokens; what was asked for. */
export function RegistryPage() {
  return (
    <Frame tab="registry">
      <Simulator />
      <RegistryPlans />
      <RegistryTokens />
      <RegistrySigning />
    </Frame>
  );
}
