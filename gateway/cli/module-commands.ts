import type { Command, CommandHost, ListedCommand } from '@landfall/kernel/operator/command';
import { type InstalledModule, MODULES } from '@landfall/rest-compat/modules';

export interface ReadyCommand extends Omit<ListedCommand, 'load'> {
  load(): Promise<Command>;
}

/** Lists the commands of modules. */
export const moduleCommands = (
  host: CommandHost,
  installed: readonly InstalledModule[] = MODULES,
): readonly ReadyCommand[] =>
  installed.flatMap(({ commands = [] }) => commands.map((command) => ({ ...command, load: () => command.load(host) })));
