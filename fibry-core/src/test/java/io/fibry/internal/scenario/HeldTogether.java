package io.fibry.internal.scenario;

import io.fibry.Actor;
import io.fibry.ActorState;
import io.fibry.ActorStoppedException;
import io.fibry.ActorSystem;
import io.fibry.AskCycleException;
import io.fibry.AskTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;

/**
 * Code that holds several actors takes money from some and gives it to others, while these get messages, ask each other and
 * stop. Nobody else touches an actor that is held, each piece of code has one outcome, which is known when it has ended, and no money is
 * lost. An ask that closes a cycle with a hold does not fail.
 */
final class HeldTogether implements Scenario {
    private static final int MONEY = 100;
    private static final Duration LONG = Duration.ofDays(1);

    @Override
    public String name() {
        return "held-together";
    }

    @Override
    public List<String> sometimes() {
        return List.of("moved", "code failed", "left", "too late", "stopped before", "a cycle", "gave way",
                "forced while the code ran", "handler would wait for itself");
    }

    private static final class Account {
        final String name;
        Actor<Integer, Integer> actor;
        int money = MONEY;
        int inside;
        boolean stops;

        Account(String name) {
            this.name = name;
        }
    }

    @Override
    public void play(Play play) {
        var scope = ActorSystem.configure("bank").listener(event -> {
        }).time(play.schedule.time()).strategy(play.elsewhere()).open();
        var accounts = new ArrayList<Account>();
        for (int i = 0; i < 4; i++) {
            var account = new Account("account" + i);
            accounts.add(account);
            account.actor =
                    scope.anonymous().strategy(play.elsewhere()).onExit(() -> enter(play, account, () -> {
                    })).newActorWithReturn(
                            (Integer message) -> handle(play, accounts, account, message));
        }
        var outcomes = new int[1];
        var moves = new int[1];
        for (int t = 0; t < 3; t++) {
            play.spawn("mover" + t, () -> {
                for (int i = 0; i < 2; i++) {
                    play.pause();
                    move(play, accounts, moves);
                    outcomes[0]++;
                }
            });
        }
        play.spawn("sender", () -> {
            for (int i = 0; i < 6; i++) {
                play.pause();
                accounts.get(play.random.nextInt(4)).actor.sendMessage(play.random.nextInt(5));
            }
        });
        if (play.chance(60)) {
            play.spawn("stopper", () -> stop(play, accounts.get(play.random.nextInt(4))));
        }
        play.clock(2);
        play.ledger.atTheEnd(() -> {
            play.check(outcomes[0] == 6, "only " + outcomes[0] + " pieces of code have an outcome");
            var money = accounts.stream().mapToInt(each -> each.money).sum();
            play.check(money == 4 * MONEY, "there is " + money);
            for (var account : accounts) {
                play.check(account.actor.state() == ActorState.STOPPED,
                        account.name + " is " + account.actor.state());
            }
        });
        play.schedule.run();
        play.spawn("banker", () -> {
            accounts.forEach(each -> each.actor.close());
            scope.close();
        });
    }

    private static Integer handle(Play play, List<Account> accounts, Account self, int message)
            throws Exception {
        enter(play, self, play::pause);
        switch (message) {
            case 1 -> { // asks another one
                try {
                    accounts.get(play.random.nextInt(4)).actor.sendMessageReturnWait(0);
                } catch (AskCycleException e) {
                    play.saw("a cycle");
                } catch (ExecutionException e) {
                    play.saw("no answer");
                } catch (InterruptedException e) {
                    play.check(self.stops, "interrupted for other code");
                }
            }
            case 2 -> { // holds others, and waits
                var one = accounts.get(play.random.nextInt(4));
                var other = accounts.get(play.random.nextInt(4));
                var both = one == other ? List.of(one) : List.of(one, other);
                try {
                    hold(both, 0, LONG, () -> {
                        change(play, both);
                        return null;
                    });
                } catch (AskCycleException e) {
                    play.saw("handler would wait for itself");
                } catch (ExecutionException | InterruptedException e) {
                    play.saw("not held");
                }
            }
            default -> {
            }
        }
        play.check(!Thread.currentThread().isInterrupted() || self.stops, "interrupted for other code");
        return message;
    }

    /** Holds these actors, one after another, and runs code. What makes one step fail makes all of them fail. */
    private static Object hold(List<Account> accounts, int next, Duration timeout, Callable<Object> code)
            throws Exception {
        return next == accounts.size() ? code.call()
                : accounts.get(next).actor.hold(() -> hold(accounts, next + 1, LONG, code), timeout);
    }

    private static void move(Play play, List<Account> accounts, int[] moves) {
        var chosen = new ArrayList<Account>();
        var count = 1 + play.upTo(2);
        while (chosen.size() < count) {
            var next = accounts.get(play.random.nextInt(4));
            if (!chosen.contains(next)) {
                chosen.add(next);
            }
        }
        var kind = play.random.nextInt(5);
        var runs = new int[1];
        var isRunning = new boolean[1];
        if (kind == 3) {
            var mover = Thread.currentThread();
            play.spawn("interrupter", () -> {
                for (int n = play.upTo(4); n > 0; n--) {
                    play.pause();
                }
                mover.interrupt();
            });
        }
        try {
            hold(chosen, 0, kind == 0 ? Play.MILLI : LONG, () -> {
                play.check(runs[0]++ == 0, "the code ran twice");
                isRunning[0] = true;
                try {
                    moves[0]++;
                    change(play, chosen);
                    if (kind == 1) {
                        throw new IllegalStateException("after the change");
                    }
                    if (kind == 2) {
                        askOneThatIsHeld(play, chosen.getFirst());
                    }
                } finally {
                    isRunning[0] = false;
                }
                return null;
            });
            play.saw("moved");
            play.check(runs[0] == 1, "a result without a run");
        } catch (Exception failed) {
            saw(play, failed, runs[0] > 0);
        }
        play.check(!isRunning[0], "left while the code runs");
        runs[0]++; // it is not to run later
        Thread.interrupted();
    }

    private static void askOneThatIsHeld(Play play, Account held) throws Exception {
        var asked = held.actor.sendMessageReturn(0);
        try {
            asked.get();
            play.check(false, "a held actor has answered");
        } catch (AskCycleException e) {
            play.saw("a cycle");
        }
    }

    private static void saw(Play play, Throwable failed, boolean hasRun) {
        switch (failed) {
            case AskCycleException e -> {
                play.saw("gave way");
                play.check(!hasRun, "the code ran, and its actors were let go");
            }
            case AskTimeoutException e -> {
                play.saw("too late");
                play.check(!hasRun, "the code ran, and was too late");
            }
            case ActorStoppedException e -> {
                play.saw("stopped before");
                play.check(!hasRun, "the code ran although an actor had stopped");
            }
            case InterruptedException e -> play.saw(hasRun ? "forced while the code ran" : "left");
            case IllegalStateException e -> play.saw("code failed");
            case ExecutionException e when e.getCause() != null -> saw(play, e.getCause(), hasRun);
            default -> play.check(false, "failed: " + failed);
        }
    }

    /** What only one thread may do at a time for each of the accounts. */
    private static void change(Play play, List<Account> accounts) throws InterruptedException {
        for (var account : accounts) {
            play.check(account.inside++ == 0, "two threads in " + account.name);
            play.check(account.actor.state() != ActorState.STOPPED,
                    account.name + " has stopped, and is held");
        }
        try {
            accounts.getFirst().money--;
            for (int i = 0; i < 3; i++) {
                play.pause();
            }
            accounts.getLast().money++;
            if (Thread.interrupted()) {
                throw new InterruptedException("forced");
            }
        } finally {
            accounts.forEach(account -> account.inside--);
        }
    }

    private static void enter(Play play, Account account, Runnable inside) {
        play.check(account.inside++ == 0, "two threads in " + account.name);
        inside.run();
        account.inside--;
    }

    private static void stop(Play play, Account account) {
        play.pause();
        account.stops = true;
        switch (play.random.nextInt(4)) {
            case 0 -> account.actor.askExit();
            case 1 -> account.actor.sendPoisonPill();
            case 2 -> account.actor.stop(Duration.ZERO);
            default -> account.actor.stop(Play.MILLI);
        }
    }
}
