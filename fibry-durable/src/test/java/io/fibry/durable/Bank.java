package io.fibry.durable;

import io.fibry.ActorScope;
import io.fibry.keyed.KeyedActors;
import io.fibry.time.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** Accounts, for tests. */
public final class Bank {
    public static final Duration LONG = Duration.ofHours(1);

    /** An account that takes nothing. */
    public static final String CLOSED = "closed";

    private Bank() {
    }

    /** What the closed account fails with. */
    public static final class Closed extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    public sealed interface Event permits Deposited, Withdrawn {
    }

    public record Deposited(long cents) implements Event {
    }

    public record Withdrawn(long cents) implements Event {
    }

    public record Balance(long cents, long events) {
        public static final Balance NONE = new Balance(0, 0);

        Balance apply(Event event) {
            return switch (event) {
                case Deposited in -> new Balance(cents + in.cents(), events + 1);
                case Withdrawn out -> new Balance(cents - out.cents(), events + 1);
            };
        }
    }

    public sealed interface Command
            permits Deposit, Twice, Look, Fail, FlushAndFail, Transfer, Later, Every, Cancel, Drop {
        String account();
    }

    public record Deposit(String account, long cents, Optional<String> id) implements Command, Identified {
        @Override
        public String messageId() {
            return id.orElse("");
        }
    }

    /** Two deposits in one turn. */
    public record Twice(String account, long cents) implements Command {
    }

    public record Look(String account) implements Command {
    }

    /** Persists, sends, reminds, and throws. */
    public record Fail(String account) implements Command {
    }

    /** Persists and flushes one cent, persists another one, and throws. */
    public record FlushAndFail(String account) implements Command {
    }

    public record Transfer(String account, String to, long cents) implements Command {
    }

    public record Later(String account, Instant at, long cents) implements Command {
    }

    public record Every(String account, Duration period, long cents) implements Command {
    }

    public record Cancel(String account) implements Command {
    }

    public record Drop(String account) implements Command {
    }

    public record Answer(long cents, long revision) {
    }

    public static Deposit deposit(String account, long cents) {
        return new Deposit(account, cents, Optional.empty());
    }

    public static Durable<Balance, Event> durable(DurableStore store) {
        return Durable.of(store, "accounts", Balance.class, Balance.NONE, Event.class, Balance::apply);
    }

    public static KeyedActors<String, Command, Answer> open(ActorScope scope, DurableStore store) {
        return open(scope, durable(store), LONG, new AtomicInteger());
    }

    public static KeyedActors<String, Command, Answer> open(ActorScope scope, Durable<Balance, Event> durable,
            Duration idle, AtomicInteger handled) {
        var self = new Object() {
            KeyedActors<String, Command, Answer> actors;
        };
        self.actors = durable.idle(idle).keyed(scope, Command.class, Answer.class, Command::account,
                (context, command) -> {
                    handled.incrementAndGet();
                    return handle(context, command, self.actors);
                });
        return self.actors;
    }

    private static Answer handle(DurableContext<Balance, Event, Command, Answer> self, Command command,
            KeyedActors<String, Command, Answer> accounts) throws Exception {
        switch (command) {
            case Deposit in when in.account().equals(CLOSED) -> throw new Closed();
            case Deposit in -> self.persist(new Deposited(in.cents()));
            case Twice in -> {
                self.persist(new Deposited(in.cents()));
                self.persist(new Deposited(in.cents()));
            }
            case Look look -> {
            }
            case Fail fail -> {
                self.persist(new Deposited(1000));
                self.send(accounts, deposit("other", 1000));
                self.remind("never", Instant.EPOCH, deposit(self.key(), 1000));
                throw new IllegalArgumentException("on purpose");
            }
            case FlushAndFail fail -> {
                self.persist(new Deposited(1));
                self.flush();
                self.persist(new Deposited(1));
                throw new IllegalArgumentException("on purpose");
            }
            case Transfer transfer -> {
                self.persist(new Withdrawn(transfer.cents()));
                self.send(accounts, deposit(transfer.to(), transfer.cents()));
            }
            case Later later -> self.remind("later", later.at(), deposit(self.key(), later.cents()));
            case Every every ->
                self.remind("every", Schedule.fixedRate(every.period()), deposit(self.key(), every.cents()));
            case Cancel cancel -> {
                self.forget("later");
                self.forget("every");
            }
            case Drop drop -> self.delete();
        }
        return new Answer(self.state().cents(), self.revision());
    }
}
