package io.fibry.internal.scenario;

import io.fibry.ActorSystem;
import io.fibry.Actor;
import io.fibry.ActorState;
import io.fibry.ActorStoppedException;
import io.fibry.Actors;
import io.fibry.AskCycleException;
import io.fibry.AskTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Code takes money from some actors and gives it to others, while these get messages, ask each other and stop. Nobody else
 * touches an actor that is held, each piece of code has one outcome, and no money is lost.
 */
final class HeldTogether implements Scenario {
    private static final int MONEY = 100;

    @Override
    public String name() {
        return "held-together";
    }

    @Override
    public List<String> sometimes() {
        return List.of("moved", "code failed", "cancelled", "too late", "stopped before", "a cycle",
                "stopped while held",
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
        var outcomes = new ArrayList<CompletableFuture<Integer>>();
        var moves = new int[1];
        for (int t = 0; t < 3; t++) {
            play.spawn("mover" + t, () -> {
                for (int i = 0; i < 2; i++) {
                    play.pause();
                    outcomes.add(move(play, accounts, moves));
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
            play.check(outcomes.size() == 6, "only " + outcomes.size() + " pieces of code were given");
            var money = accounts.stream().mapToInt(each -> each.money).sum();
            play.check(money == 4 * MONEY, "there is " + money);
            for (var account : accounts) {
                play.check(account.actor.state() == ActorState.STOPPED,
                        account.name + " is " + account.actor.state());
            }
        });
        play.schedule.run();
        outcomes.forEach(outcome -> play.check(outcome.isDone(), "no outcome: " + outcome));
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
                } catch (ExecutionException | InterruptedException e) {
                    play.saw("no answer");
                }
            }
            case 2 -> { // holds others, and waits
                var one = accounts.get(play.random.nextInt(4));
                var other = accounts.get(play.random.nextInt(4));
                var both = one == other ? List.of(one) : List.of(one, other);
                try {
                    Actors.holding(one.actor, other.actor).execAndWait(() -> change(play, both));
                } catch (AskCycleException e) {
                    play.saw("handler would wait for itself");
                } catch (ExecutionException | InterruptedException e) {
                    play.saw("not held");
                }
            }
            default -> {
            }
        }
        return message;
    }

    private static CompletableFuture<Integer> move(Play play, List<Account> accounts, int[] moves) {
        var chosen = new ArrayList<Account>();
        var count = 1 + play.upTo(2);
        while (chosen.size() < count) {
            var next = accounts.get(play.random.nextInt(4));
            if (!chosen.contains(next)) {
                chosen.add(next);
            }
        }
        var kind = play.random.nextInt(6);
        var held = Actors.holding(chosen.stream().map(each -> each.actor).toList());
        var runs = new int[1];
        var outcome = (kind == 0 ? held.within(Duration.ofMillis(1)) : held).execFuture(() -> {
            play.check(runs[0]++ == 0, "the code ran twice");
            moves[0]++;
            change(play, chosen);
            if (kind == 1) {
                throw new IllegalStateException("after the change");
            }
            if (kind == 2) {
                var asked = chosen.getFirst().actor.sendMessageReturn(0);
                try {
                    asked.get();
                    play.check(false, "a held actor has answered");
                } catch (AskCycleException e) {
                    play.saw("a cycle");
                }
            }
            return 1;
        });
        outcome.whenComplete((value, failure) -> {
            switch (failure) {
                case null -> {
                    play.saw("moved");
                    play.check(runs[0] == 1, "a result without a run");
                }
                case CancellationException e -> play.saw("cancelled");
                case AskTimeoutException e -> play.saw("too late");
                case ActorStoppedException e when e.getMessage().contains("while it was held") -> {
                    play.saw("stopped while held");
                    play.check(runs[0] == 0, "the code ran although an actor had stopped");
                }
                case ActorStoppedException e -> play.saw("stopped before");
                case AskCycleException e -> play.saw("a cycle");
                case IllegalStateException e -> play.saw("code failed");
                case InterruptedException e -> play.saw("forced while the code ran");
                default -> play.check(false, "failed: " + failure);
            }
        });
        if (kind == 3) {
            while (!outcome.isDone() && play.chance(70)) {
                play.pause();
            }
            outcome.cancel(true);
        }
        return outcome;
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
