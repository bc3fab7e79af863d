package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.codec.Codec;
import io.fibry.codec.Compat;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store that an earlier release of a program has written. */
class EvolutionTest {
    private static final Duration LONG = Duration.ofHours(1);

    @TempDir
    private Path folder;

    /** The first release. */
    static final class First {
        public record Account(long cents) {
        }

        public sealed interface Event {
        }

        public record Deposited(long cents, String branch) implements Event {
        }

        public record Deposit(String account, long cents) {
        }
    }

    /** The next release: one component more, which may be absent, one less, and another event. */
    static final class Next {
        public record Account(long cents, Optional<String> owner) {
        }

        public sealed interface Event {
        }

        public record Deposited(long cents, Optional<String> note) implements Event {
        }

        public record Named(String owner) implements Event {
        }

        public record Deposit(String account, long cents, Optional<String> note) {
        }

        static Account apply(Account account, Event event) {
            return switch (event) {
                case Deposited in -> new Account(account.cents + in.cents, account.owner);
                case Named named -> new Account(account.cents, Optional.of(named.owner));
            };
        }
    }

    /** A release that cannot read it: a component that did not exist is mandatory. */
    static final class Wrong {
        public sealed interface Event {
        }

        public record Deposited(long cents, String currency) implements Event {
        }
    }

    private static <T> T ask(KeyedActors<String, T, Long> actors, T message, long expected)
            throws Exception {
        assertThat(Waits.on(actors.sendMessageReturn(message))).isEqualTo(expected);
        return message;
    }

    /** Checks the types, and writes them for the next release if it reads what was written before. */
    private static void release(Path golden, Codec types) throws Exception {
        System.setProperty("fibry.compat", "write");
        try {
            Compat.check(golden, types);
        } finally {
            System.clearProperty("fibry.compat");
        }
        Compat.check(golden, types);
    }

    private void writtenByTheFirst(int snapshotEvery) throws Exception {
        try (var store = DurableStore.open("file:" + folder.resolve("bank.db"));
                var scope = ActorSystem.open("first")) {
            var actors = Durable
                    .of(store, "accounts", First.Account.class, new First.Account(0), First.Event.class,
                            (account, event) -> new First.Account(
                                    account.cents + ((First.Deposited) event).cents))
                    .snapshotEvery(snapshotEvery)
                    .idle(LONG).keyed(scope, First.Deposit.class, Long.class, First.Deposit::account,
                            (self, deposit) -> {
                                self.persist(new First.Deposited(deposit.cents, "main"));
                                self.remind("later " + self.revision(),
                                        scope.time().clock().instant().plus(Duration.ofDays(9)), deposit);
                                return self.state().cents();
                            });
            ask(actors, new First.Deposit("a", 5), 5);
            ask(actors, new First.Deposit("a", 6), 11);
        }
    }

    @Test
    @Promise("68.1")
    void whatAnEarlierReleaseHasWrittenIsReadIfItsChangesPassTheCheck() throws Exception {
        var golden = folder.resolve("bank.golden");
        release(golden, Codec.of(First.Account.class, First.Event.class, First.Deposit.class));
        release(golden, Codec.of(Next.Account.class, Next.Event.class, Next.Deposit.class));
        for (int snapshotEvery : List.of(1, 2, 100)) {
            try (var files = Files.list(folder)) {
                for (var file : files.filter(each -> each.getFileName().toString().startsWith("bank.db"))
                        .toList()) {
                    Files.delete(file);
                }
            }
            writtenByTheFirst(snapshotEvery);
            try (var store = DurableStore.open("file:" + folder.resolve("bank.db"));
                    var scope = ActorSystem.open("next")) {
                var actors = Durable
                        .of(store, "accounts", Next.Account.class, new Next.Account(0, Optional.empty()),
                                Next.Event.class, Next::apply)
                        .idle(LONG).keyed(scope, Next.Deposit.class, Long.class, Next.Deposit::account,
                                (self, deposit) -> {
                                    self.persist(new Next.Deposited(deposit.cents, deposit.note));
                                    self.persist(new Next.Named("ann"));
                                    return self.state().cents();
                                });
                ask(actors, new Next.Deposit("a", 7, Optional.of("rent")), 18);
            }
        }
    }

    @Test
    @Promise("68.1")
    void changesThatDoNotPassItAreToldAndNoEventIsPassedOver() throws Exception {
        var golden = folder.resolve("bank.golden");
        release(golden, Codec.of(First.Event.class));
        assertThatThrownBy(() -> release(golden, Codec.of(Wrong.Event.class)))
                .hasMessageContaining("currency");
        writtenByTheFirst(100);
        try (var store = DurableStore.open("file:" + folder.resolve("bank.db"));
                var scope = ActorSystem.open("wrong")) {
            var durable = Durable.of(store, "accounts", Long.class, 0L, Wrong.Event.class,
                    (sum, event) -> sum + 1);
            assertThatThrownBy(() -> durable.history("a", 0, 10)).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("accounts a").hasMessageContaining("revision 1");
            var actors = durable.idle(LONG).keyed(scope, String.class, Long.class, account -> account,
                    (self, account) -> self.state());
            assertThat(Waits.failure(actors.sendMessageReturn("a"))).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("accounts a").hasMessageContaining("revision 1")
                    .hasMessageContaining("currency");
        }
    }
}
