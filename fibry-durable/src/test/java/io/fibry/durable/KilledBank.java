package io.fibry.durable;

import io.fibry.ActorException;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.durable.Bank.Answer;
import io.fibry.durable.Bank.Command;
import io.fibry.durable.Bank.FlushAndFail;
import io.fibry.durable.Bank.Later;
import io.fibry.durable.Bank.Look;
import io.fibry.durable.Bank.Transfer;
import io.fibry.internal.clock.SystemTime;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.JumpingTime;
import io.fibry.time.Schedule;
import java.io.IOException;
import java.io.OutputStream;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

    /** How far a clock is from the right time at most. */
    static final Duration FARTHEST = Duration.ofHours(5);
    /** The schedules of reminders, by the keys of those that are set. */
    static final Map<String, Schedule> SCHEDULES =
            Map.of("minute", Schedule.cron("* * * * *", ZoneOffset.UTC), "often",
                    Schedule.fixedRate(Duration.ofMillis(50)));

    private final DurableStore store;
    private final KeyedActors<String, Command, Answer> accounts;
    private final KeyedActors<String, Tick, Ticks> ticks;
    private final JumpingTime time;
    private final int turns;
    private final Lie lie;

    private KilledBank(DurableStore store, ActorScope scope, JumpingTime time, int turns, Lie lie) {
        this.store = store;
        this.time = time;
        this.turns = turns;
        this.lie = lie;
        accounts = Bank.open(scope, durable(store), Bank.LONG, new AtomicInteger());
        ticks = ticks(scope, store, time, lie);
        project(scope, store);
        work(scope, store, accounts, time, lie);
    }

    /** What a process may do wrong, so that a test sees that it is found. */
    enum Lie {
        NONE(""), IS_NOT_WRITTEN("a0: "), COMES_TWICE("has come twice"), COMES_EARLY(
                "has come before its time"), IS_FORGOTTEN("is set"), LEAVES_A_GAP(
                        "has turns that did nothing"), DOES_NOT_COME(
                                "has come since"), IS_DONE_EARLY(
                                        "work is done at its time"), IS_NOT_HANDED_IN(
                                                "was handed in"), SAYS_NO_REASON(
                                                        "says that there is no room"), ENDS(
                                                                "it writes until it is killed"), IS_LET_IN(
                                                                        "is refused");

        /** What the test says that finds it. */
        final String found;

        Lie(String found) {
            this.found = found;
        }
    }

    /** How often a schedule was set and has come, the last time at which it had to come since it was set, and what was wrong. */
    record Ticks(long set, long come, Instant last, String wrong) {
        static final Ticks NONE = new Ticks(0, 0, Instant.EPOCH, "");
    }

    /** Sets a schedule, comes by it, or looks at it. */
    record Tick(String key, Kind kind) {
        enum Kind {
            SET, COME, LOOK
        }
    }

    static KeyedActors<String, Tick, Ticks> ticks(ActorScope scope, DurableStore store, JumpingTime time,
            Lie lie) {
        return Durable.stateOnly(store, "ticks", Ticks.class, Ticks.NONE).snapshotEvery(20).keyed(scope,
                Tick.class, Ticks.class, Tick::key, (self, tick) -> {
                    var now = self.state();
                    switch (tick.kind()) {
                        case SET -> {
                            self.remind("tick", SCHEDULES.get(tick.key()),
                                    new Tick(tick.key(), Tick.Kind.COME));
                            self.persist(new Ticks(now.set() + 1, now.come(), Instant.EPOCH, now.wrong()));
                        }
                        case COME -> {
                            var at = Instant
                                    .ofEpochMilli(Long.parseLong(self.messageId().replaceAll(".*/", "")));
                            self.persist(come(now, at, time, lie));
                            if (lie == Lie.IS_FORGOTTEN) {
                                self.forget("tick");
                            }
                        }
                        case LOOK -> {
                            if (self.revision() != now.set() + now.come()) {
                                return new Ticks(now.set(), now.come(), now.last(),
                                        "has turns that did nothing");
                            }
                        }
                    }
                    return self.state();
                });
    }

    private static Ticks come(Ticks now, Instant at, JumpingTime time, Lie lie) {
        var wrong = !at.isAfter(now.last()) ? "has come twice"
                : time.isBefore(lie == Lie.COMES_EARLY ? at.plus(Duration.ofDays(1)) : at)
                        ? "has come before its time"
                : now.wrong();
        return new Ticks(now.set() + (lie == Lie.DOES_NOT_COME ? 1 : 0),
                now.come() + (lie == Lie.DOES_NOT_COME || lie == Lie.LEAVES_A_GAP ? 0 : 1),
                lie == Lie.COMES_TWICE ? at.plus(Duration.ofDays(1)) : at, wrong);
    }

    static Durable<Bank.Balance, Bank.Event> durable(DurableStore store) {
        return Bank.durable(store).pipelined().snapshotEvery(20)
                .parkAfter(Integer.MAX_VALUE, Bank.Closed.class)
                .ids(Duration.ofDays(1)); // longer than the clock jumps
    }

    static DurableQueue<Long> works(DurableStore store) {
        return DurableQueue.of(store, "works", Long.class).giveBackAfter(Duration.ofSeconds(1))
                .atMostOfTenant(2, at -> "tenant " + at % 5);
    }

    /**
     * Each task is a cent, which counts once although the task may be done twice, and has the time before which it is not done. Some
     * have progress, and some fail at first.
     */
    static void work(ActorScope scope, DurableStore store, KeyedActors<String, Command, Answer> accounts,
            JumpingTime time, Lie lie) {
        works(store).start(scope, 3, task -> {
            var at = Instant.ofEpochMilli(task.work());
            if (time.isBefore(lie == Lie.IS_DONE_EARLY ? at.plus(Duration.ofDays(1)) : at)) {
                accounts.sendMessageReturn(Bank.deposit("early", 1)).get();
            }
            if (task.work() % 2 == 0) {
                task.progress("attempt " + task.attempt());
            }
            accounts.sendMessageReturn(new Bank.Deposit("worked", 1, Optional.of(task.id()))).get();
            if (task.work() % 7 == 0 && task.attempt() == 1) {
                throw new IllegalStateException("on purpose");
            }
        });
    }

    /** Keeps a table with the sum of each account, and of how many turns it is made. */
    static Projection.Running project(ActorScope scope, DurableStore store) {
        try {
            return Projection.<Bank.Event>of("sums", durable(store)).parts(2).startInTransaction(scope,
                    ProjectionTest::sum);
        } catch (InterruptedException e) {
            throw new IllegalStateException("nothing interrupts it", e);
        }
    }

    /**
     * Writes for ever, or for a while.
     *
     * @param args the store; how many turns each account has if there is an end; a {@link Lie}; and "second" if it is a second
     *     process beside another one, or "disk" if the test fills the disk
     */
    public static void main(String[] args) throws Exception {
        Thread.ofPlatform().daemon().start(KilledBank::endWithParent);
        int turns = args.length > 1 ? Integer.parseInt(args[1]) : Integer.MAX_VALUE;
        var lie = args.length > 2 ? Lie.valueOf(args[2]) : Lie.NONE;
        var time = new JumpingTime(SystemTime.INSTANCE, Duration.ZERO);
        var jumps = ThreadLocalRandom.current().nextBoolean();
        if (jumps) {
            jump(time);
        }
        try (var store = open(args[0], lie);
                var scope = ActorSystem.configure("bank").time(time).open()) {
            var bank = new KilledBank(store, scope, time, turns, lie);
            var mode = args.length > 3 ? args[3] : "";
            bank.disturb(jumps, !mode.equals("disk"));
            for (var thread : bank.start(!mode.equals("second"))) {
                thread.join();
            }
        }
    }

    /** Else it would work for ever when a build is killed. */
    private static void endWithParent() {
        try {
            System.in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException gone) {
            // It has no parent any more.
        }
        Runtime.getRuntime().halt(1);
    }

    private static DurableStore open(String url, Lie lie) throws SQLException {
        try {
            var options = CommitOptions.defaults();
            return Flushing.required(DurableStore.open(url,
                    url.startsWith("file:") ? options.limit(Duration.ofSeconds(60)) : options));
        } catch (IllegalStateException refused) {
            say(refused, lie);
            System.exit(1);
            throw refused;
        }
    }

    /** Puts the clock to the right time, or to one that is some minutes or hours away. */
    private static void jump(JumpingTime time) {
        var random = ThreadLocalRandom.current();
        int most = List.of(0, 10, Math.toIntExact(FARTHEST.toMinutes())).get(random.nextInt(3));
        time.jump(Duration.ofMinutes(random.nextInt(-most, most + 1)));
    }

    /** Says in one line why something was not done. */
    private static void say(Throwable failure, Lie lie) {
        var why = String.valueOf(failure.getMessage()).replace('\n', ' ');
        boolean isHidden = why.contains(lie == Lie.IS_LET_IN ? "in use" : "full")
                && (lie == Lie.IS_LET_IN || lie == Lie.SAYS_NO_REASON);
        System.out.println("! " + (isHidden ? "no" : why));
        if (lie == Lie.ENDS) {
            System.exit(0);
        }
    }

    /** Begins what goes on until the process ends. */
    private void disturb(boolean jumps, boolean fills) {
        if (jumps) {
            Thread.startVirtualThread(this::jump);
        }
        if (fills && store.journal instanceof SqliteJournal file) {
            Thread.startVirtualThread(() -> fill(file));
        }
        Thread.startVirtualThread(this::setSchedules);
    }

    /** @param isFirst whether this process sets reminders; a second one beside it does not */
    private List<Thread> start(boolean isFirst) {
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
            } catch (CompletionException | ActorException failed) {
                say(failed instanceof CompletionException ? failed.getCause() : failed, lie);
                pause(Duration.ofMillis(20));
            }
        }
    }

    private void transfer(String account) {
        // The line leaves in one write, so that the parent reads whole lines or nothing.
        long more = lie == Lie.IS_NOT_WRITTEN ? 1_000_000 : 0;
        repeat(() -> System.out
                .println(account + " " + (more - ask(new Transfer(account, "sum", 1)).cents())));
    }

    /** Sends what is not taken: each message is to be parked, also if it is sent again. */
    private void park() {
        var keys = durable(store).keys();
        repeat(() -> {
            System.out.println("parks " + -ask(new Transfer("parks", Bank.CLOSED, 1)).cents());
            try {
                for (var parked : keys.parked(Optional.empty(), ThreadLocalRandom.current().nextInt(1, 3))) {
                    keys.sendAgain(parked);
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException("nothing interrupts it", e);
            }
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
                if (!(e.getCause() instanceof IllegalArgumentException)) {
                    throw e;
                }
                System.out.println("flushed " + (before + 1)); // thrown after the flush
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

    /** Sets schedules, also again. */
    private void setSchedules() {
        repeat(() -> {
            var keys = List.copyOf(SCHEDULES.keySet());
            var key = keys.get(ThreadLocalRandom.current().nextInt(keys.size()));
            ticks.sendMessageReturn(new Tick(key, Tick.Kind.SET)).join();
            pause(Duration.ofMillis(ThreadLocalRandom.current().nextInt(500)));
        });
    }

    /** Lets the clock jump all the time. */
    private void jump() {
        repeat(() -> {
            jump(time);
            pause(Duration.ofMillis(ThreadLocalRandom.current().nextInt(50)));
        });
    }

    /** Leaves a file no room to grow, for a moment each time. A connection that has failed is given up, and the next one has room. */
    private void fill(SqliteJournal file) {
        repeat(() -> {
            try {
                for (int i = 0; i < 20; i++) {
                    Flushing.setting(file, "PRAGMA max_page_count=1"); // it does not become smaller than it is
                    pause(Duration.ofMillis(2));
                }
            } catch (SQLException e) {
                throw new CompletionException(e);
            }
            pause(Duration.ofMillis(ThreadLocalRandom.current().nextInt(300)));
        });
    }

    /** Returns how many reminders an account has set: the turns without those that have handled a reminder. */
    static long set(Answer answer) {
        return answer.revision() - answer.cents();
    }

    /** Hands in work whose ids no other process has, for now or for a little later. */
    private void handIn() {
        var works = works(store);
        var process = "w" + UUID.randomUUID() + "-";
        var count = new AtomicInteger();
        repeat(() -> {
            var id = process + count.incrementAndGet();
            var at = Instant.now().plusMillis(Math.max(0, ThreadLocalRandom.current().nextInt(-100, 100)));
            try {
                if (lie != Lie.IS_NOT_HANDED_IN
                        && works.handIn(Map.of(id, at.toEpochMilli()), at).isEmpty()) {
                    throw new IllegalStateException(id + " was handed in before");
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException("nothing interrupts it", e);
            }
            System.out.println(id + " 1");
        });
    }

    private void compact() {
        for (int i = 0; i < turns; i++) {
            try {
                store.compaction.run(Duration.ZERO);
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
