package io.fibry.examples.bank;

import io.fibry.ActorScope;
import io.fibry.durable.Durable;
import io.fibry.durable.DurableContext;
import io.fibry.durable.DurableStore;
import io.fibry.durable.Identified;
import io.fibry.keyed.KeyedActors;
import java.time.Duration;

/**
 * An account: what may be asked of it, what may happen to it, and what it is then. A payment is a saga over two accounts:
 * the payer's account takes the money out and sends it; the payee's account takes it in, or sends it back.
 */
final class BankAccount {
    private BankAccount() {
    }

    /** What an account is asked. */
    sealed interface Command {
        int account();
    }

    /** Opens the account, if that has not been done. */
    record Open(int account, String owner, long cents) implements Command {
    }

    /** The order of a customer. It has an id, so that a customer who gets no answer may send it again. */
    record Pay(int account, String order, int to, long cents) implements Command, Identified {
        @Override
        public String messageId() {
            return order;
        }
    }

    /** Money that another account has sent. */
    record Receive(int account, int from, long cents) implements Command {
    }

    /** Money that this account had sent, and that was not taken. */
    record TakeBack(int account, int from, long cents) implements Command {
    }

    record Close(int account) implements Command {
    }

    record Show(int account) implements Command {
    }

    /** What has happened to an account. These are the rows of the store. */
    sealed interface Event {
    }

    record Opened(String owner, long cents) implements Event {
    }

    record Paid(int to, long cents) implements Event {
    }

    record Received(int from, long cents) implements Event {
    }

    record Returned(int from, long cents) implements Event {
    }

    record Closed() implements Event {
    }

    /** What an account is, which follows from what has happened to it. */
    record State(boolean open, long cents, long payments) {
        static final State NONE = new State(false, 0, 0);

        State apply(Event event) {
            return switch (event) {
                case Opened opened -> new State(true, opened.cents(), 0);
                case Paid paid -> new State(open, cents - paid.cents(), payments + 1);
                case Received received -> new State(open, cents + received.cents(), payments);
                case Returned returned -> new State(open, cents + returned.cents(), payments);
                case Closed closed -> new State(false, cents, payments);
            };
        }
    }

    /** What an account answers. */
    sealed interface Answer {
    }

    record Balance(long cents, long payments) implements Answer {
    }

    record Refused(String why) implements Answer {
    }

    static KeyedActors<Integer, Command, Answer> open(ActorScope scope, DurableStore store) {
        return durable(store)
                .keyed(scope, Command.class, Answer.class,
                        Command::account, BankAccount::handle);
    }

    /** The accounts as the store keeps them. What has happened to them is kept, so that sums can be made of it anew. */
    static Durable<State, Event> durable(DurableStore store) {
        return Durable.of(store, "accounts", State.class, State.NONE, Event.class, State::apply)
                .keepHistory(Duration.ofDays(3_650));
    }

    /** Handles a command. All that it persists and sends is one row, which is on the disk before the answer leaves. */
    private static Answer handle(DurableContext<State, Event, Command, Answer> self, Command command) {
        var account = self.state();
        switch (command) {
            case Open open -> {
                if (account.equals(State.NONE)) {
                    self.persist(new Opened(open.owner(), open.cents()));
                }
            }
            case Pay pay -> {
                if (pay.cents() < 1) {
                    return new Refused("nobody pays " + pay.cents() + " cents");
                }
                if (pay.cents() > account.cents()) {
                    return new Refused("only " + account.cents() + " cents are there, not " + pay.cents());
                }
                self.persist(new Paid(pay.to(), pay.cents()));
                self.send(new Receive(pay.to(), pay.account(), pay.cents()));
            }
            case Receive money -> {
                if (account.open()) {
                    self.persist(new Received(money.from(), money.cents()));
                } else {
                    self.send(new TakeBack(money.from(), money.account(), money.cents()));
                }
            }
            case TakeBack money -> self.persist(new Returned(money.from(), money.cents()));
            case Close close -> self.persist(new Closed());
            case Show show -> {
            }
        }
        return new Balance(self.state().cents(), self.state().payments());
    }
}
