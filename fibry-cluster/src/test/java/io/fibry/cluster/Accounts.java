package io.fibry.cluster;

import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.function.ContextReplyHandler;
import io.fibry.keyed.KeyedActors;

/** Accounts that nodes share. */
final class Accounts {
    static final ClusterGroup<Long, Command, Long> GROUP =
            ClusterGroup.of("accounts", Long.class, Command.class, Long.class,
                    Command::account);

    private Accounts() {
    }

    sealed interface Command {
        long account();
    }

    record Deposit(long account, long cents) implements Command {
    }

    record Look(long account) implements Command {
    }

    record Fail(long account, String text) implements Command {
    }

    /** An account in memory. */
    private static final class Account implements ContextReplyHandler<Command, Long> {
        private long cents;

        @Override
        public Long handle(ActorContext<Command, Long> self, Command command) {
            return switch (command) {
                case Deposit deposit -> cents += deposit.cents();
                case Look look -> cents;
                case Fail fail -> throw new IllegalStateException(fail.text());
            };
        }
    }

    /** Returns a group of another name. */
    static ClusterGroup<Long, Command, Long> others(String name) {
        return ClusterGroup.of(name, Long.class, Command.class, Long.class, Command::account);
    }

    static KeyedActors<Long, Command, Long> of(ActorScope scope) {
        return scope.named("accounts").keyed(GROUP.keyOf()).newActorsWithReturnFrom(key -> new Account());
    }
}
