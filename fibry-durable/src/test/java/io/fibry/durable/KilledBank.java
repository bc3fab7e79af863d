package io.fibry.durable;

import io.fibry.ActorException;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.durable.Bank.Answer;
import io.fibry.durable.Bank.Command;
import io.fibry.durable.Bank.FlushAndFail;
import io.fibry.durable.Bank.Later;
import io.fibry.durable.Bank.Look;
import io.fibry.durable.Bank.Minutely;
import io.fibry.durable.Bank.Transfer;
import io.fibry.keyed.KeyedActors;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** The process that {@link KillTest} kills: it writes and prints what was acknowledged. */
public final class KilledBank {
    /** How many accounts are written to at the same time. */
    static final int ACCOUNTS = 8;
    /** How many threads write to the account {@code hot}, whose turns share commits. */
    static final int HOT = 4;
    /** How many accounts get a cent by each of their reminders. */
    static final int REMINDED = 2;

    private final DurableStore store;
    private final KeyedActors<String, Command, Answer> accounts;
    private final int turns;
    /** Whether this process sets reminders. A second one beside it does not. */
    private final boolean isFirst;

    private KilledBank(DurableStore store, ActorScope scope, int turns, boolean isFirst) {
        this.isFirst = isFirst;
        this.store = store;
        this.turns = turns;
        accounts = Bank.open(scope, durable(store), Bank.LONG, new AtomicInteger());
        project(scope, store);
        work(scope, store, accounts);
    }

    static Durable<Bank.Balance, Bank.Event> durable(DurableStore store) {
        return Bank.durable(store).pipelined().snapshotEvery(20).parkAfter(Integer.MAX_VALUE,
                Bank.Closed.class);
    }

    static DurableQueue<Long> works(DurableStore store) {
        return DurableQueue.of(store, "works", Long.class).giveBackAfter(Duration.ofSeconds(1));
    }

    /** Each task is a cent, which counts once although the task may be done twice. */
    static void work(ActorScope scope, DurableStore store, KeyedActors<String, Command, Answer> accounts) {
        works(store).start(scope, 3, task -> accounts
                .sendMessageReturn(new Bank.Deposit("worked", task.work(), Optional.of(task.id()))).get());
    }

    /** Keeps a table with the sum of each account, and of how many turns it is made. */
    static Projection.Running project(ActorScope scope, DurableStore store) {
        try {
            return Projection.<Bank.Event>of("sums", durable(store)).startInTransaction(scope,
                    ProjectionTest::sum);
        } catch (InterruptedException e) {
            throw new IllegalStateException("nothing interrupts it", e);
        }
    }

    /**
     * Writes for ever, or for a while.
     *
     * @param args the store, and how many turns each account has if there is an end; and anything if it is a second process beside
     *     another one
     */
    public static void main(String[] args) throws Exception {
        int turns = args.length > 1 ? Integer.parseInt(args[1]) : Integer.MAX_VALUE;
        try (var store = Flushing.open(args[0]); var scope = ActorSystem.open("bank")) {
            for (var thread : new KilledBank(store, scope, turns, args.length < 3).start()) {
                thread.join();
            }
        }
    }

    private List<Thread> start() {
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < ACCOUNTS; i++) {
            var account = "a" + i;
            threads.add(Thread.startVirtualThread(() -> transfer(account)));
        }
        for (int i = 0; i < HOT; i++) {
            threads.add(Thread.startVirtualThread(this::deposit));
        }
        for (int i = 0; i < REMINDED && isFirst; i++) {
            var account = "r" + i;
            threads.add(Thread.startVirtualThread(() -> remind(account)));
        }
        if (isFirst) {
            threads.add(Thread.startVirtualThread(this::setCalendar));
        }
        threads.add(Thread.startVirtualThread(this::flush));
        threads.add(Thread.startVirtualThread(this::park));
        threads.add(Thread.startVirtualThread(this::handIn));
        threads.add(Thread.startVirtualThread(this::compact));
        return threads;
    }

    private Answer ask(Command command) {
        return accounts.sendMessageReturn(command).join();
    }

    /** Does something many times. Where the database is away, or another process has been quicker, it is not known what was written. */
    private void repeat(Runnable what) {
        for (int i = 0; i < turns; i++) {
            try {
                what.run();
            } catch (CompletionException failed) {
                pause(Duration.ofMillis(20));
            }
        }
    }

    private void transfer(String account) {
        // The line leaves in one write, so that the parent reads whole lines or nothing.
        repeat(() -> System.out.println(account + " " + -ask(new Transfer(account, "sum", 1)).cents()));
    }

    /** Sends what is not taken: each message is to be parked. */
    private void park() {
        repeat(() -> {
            System.out.println("parks " + -ask(new Transfer("parks", Bank.CLOSED, 1)).cents());
            pause(Duration.ofMillis(2));
        });
    }

    private void deposit() {
        repeat(() -> System.out.println("hot " + ask(Bank.deposit("hot", 1)).cents()));
    }

    /** Each turn flushes a cent, persists another one, and fails. */
    private void flush() {
        repeat(() -> {
            long before = ask(new Look("flushed")).cents();
            try {
                ask(new FlushAndFail("flushed"));
            } catch (CompletionException e) {
                if (e.getCause() instanceof IllegalArgumentException) { // thrown after the flush
                    System.out.println("flushed " + (before + 1));
                }
            }
        });
    }

    /** Sets a reminder when the one before has come. Each has one turn that sets it, and one that handles its message. */
    private void remind(String account) {
        repeat(() -> {
            var answer = ask(new Look(account));
            if (set(answer) == answer.cents()) {
                var at = Instant.now().plusMillis(ThreadLocalRandom.current().nextInt(20));
                System.out.println(account + " " + (set(ask(new Later(account, at, 1))) + 1));
            }
            pause(Duration.ofMillis(2));
        });
    }

    /** Sets a calendar once for all processes. It brings a cent each minute. */
    private void setCalendar() {
        if (ask(new Look("calendar")).revision() == 0) {
            ask(new Minutely("calendar"));
        }
    }

    /** Returns how many reminders an account has set: the turns without those that have handled a reminder. */
    static long set(Answer answer) {
        return answer.revision() - answer.cents();
    }

    /** Hands in work whose ids no other process has. */
    private void handIn() {
        var works = works(store);
        var process = "w" + UUID.randomUUID() + "-";
        try {
            for (int i = 0; i < turns; i++) {
                if (!works.handIn(process + i, 1L)) {
                    throw new IllegalStateException(process + i + " was handed in before");
                }
                System.out.println(process + i + " 1");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("nothing interrupts it", e);
        }
    }

    private void compact() {
        for (int i = 0; i < turns; i++) {
            try {
                store.compact(Duration.ZERO);
            } catch (ActorException away) {
                pause(Duration.ofMillis(20));
            } catch (InterruptedException e) {
                throw new IllegalStateException("nothing interrupts it", e);
            }
            pause(Duration.ofMillis(10));
        }
    }

    private static void pause(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            throw new IllegalStateException("nothing interrupts it", e);
        }
    }
}
