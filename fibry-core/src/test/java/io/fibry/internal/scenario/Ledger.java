package io.fibry.internal.scenario;

import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.Counters;
import io.fibry.event.ActorEvent;
import io.fibry.event.ActorListener;
import io.fibry.event.Failed;
import io.fibry.event.Stopped;
import io.fibry.event.Undelivered;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** What was offered in a play and what became of it: the books that the engine's counters must agree with. */
final class Ledger implements ActorListener {
    private final Play play;
    final List<Msg> offered = new ArrayList<>();
    final List<Subject> subjects = new ArrayList<>();
    final List<ActorScope> scopes = new ArrayList<>();
    private final List<Runnable> lastChecks = new ArrayList<>();
    private final List<Supplier<Counters>> others = new ArrayList<>();
    private final List<Supplier<Counters>> apart = new ArrayList<>();
    /** The actors whose end was told while no subject had them: their making may not have returned by then. */
    private final List<String> early = new ArrayList<>();
    private int ticks;
    private int failures;
    private int dropped;
    private int refused;
    private int undelivered;
    private int nobody;

    Ledger(Play play) {
        this.play = play;
    }

    /** What a scenario checks itself when all is over. */
    void atTheEnd(Runnable check) {
        lastChecks.add(check);
    }

    /** Adds counts that belong to the scope and to no subject. */
    void alsoCounts(Supplier<Counters> more) {
        others.add(more);
    }

    /** Adds the counts of a scope of its own, which are those of its actors together. */
    void alsoCountsApart(Supplier<Counters> more) {
        others.add(more);
        apart.add(more);
    }

    void tick() {
        ticks++;
    }

    @Override
    public void on(ActorEvent event) {
        switch (event) {
            case Undelivered lost -> undelivered((Msg) lost.message(), lost.cause());
            case Failed failed -> failures += failed.message().filter(Msg.class::equals).isPresent() ? 1 : 0;
            case Stopped stopped -> subjects.stream().filter(s -> s.hasStoppedAs(stopped.actor())).findFirst()
                    .ifPresentOrElse(Subject::stopped, () -> early.add(stopped.actor()));
            default -> {
            }
        }
    }

    /** Tells a subject that has just got its actor of an end that was told before. */
    void made(Subject subject) {
        var name = subject.actor().name();
        while (subject.actor().state() == ActorState.STOPPED && early.remove(name)) {
            subject.stopped();
        }
    }

    private void undelivered(Msg message, Undelivered.Cause cause) {
        message.reported++;
        message.dropped = cause == Undelivered.Cause.DROPPED_OLDEST;
        play.saw("lost: " + cause);
        switch (cause) {
            case DROPPED_NEWEST, DROPPED_OLDEST -> dropped++;
            case STOPPED_BEFORE_TURN, STRATEGY_REFUSED -> undelivered++;
            case NO_SUCH_ACTOR -> nobody++;
            default -> refused++;
        }
    }

    void check() {
        var returned = 0;
        var threw = 0;
        var withOthers = 0;
        var expired = 0;
        for (var message : offered) {
            returned += message.returned;
            threw += message.threw;
            withOthers += message.failedWithOther ? 1 : 0;
            var fates = message.returned + message.threw + message.reported;
            var answer = message.answer;
            play.check(answer == null || answer.isDone(), "never answered: " + message);
            if (fates == 0 && (answer == null ? message.isTimed() : answer.isCompletedExceptionally())) {
                fates = 1;
                expired++;
                play.saw("expired");
            }
            play.check(fates == 1, "not one fate: " + message);
        }
        lastChecks.forEach(Runnable::run);
        play.check(failures == threw - withOthers,
                "handlers threw " + (threw - withOthers) + " times, reported " + failures);
        var all = play.scope.counters();
        for (var scope : scopes) {
            all = sum(all, scope.counters());
        }
        for (var other : apart) {
            all = sum(all, other.get());
        }
        play.check(all.total() == offered.size() + ticks, "offered " + offered.size() + " and " + ticks
                + " ticks, the scope counts " + all);
        play.check(all.handled() == returned + ticks && all.failed() == threw && all.expired() == expired
                && all.dropped() == dropped
                && all.refused() + all.undelivered() == refused + undelivered + nobody,
                "the scope counts " + all + ", but " + returned + " were handled, " + ticks + " ticks, "
                        + threw
                        + " failed, " + expired + " expired, " + dropped + " were dropped, " + refused
                        + " refused, "
                        + undelivered + " undelivered, " + nobody + " sent to nobody");
        play.check(nobody > 0 || all.refused() == refused,
                refused + " were refused, counted " + all.refused());
        var each = new Counters(0, 0, 0, 0, 0, nobody);
        for (var subject : subjects) {
            subject.check();
            each = sum(each, subject.actor().counters());
        }
        for (var other : others) {
            each = sum(each, other.get());
        }
        play.check(each.handled() == all.handled() && each.failed() == all.failed()
                && each.expired() == all.expired() && each.dropped() == all.dropped()
                && each.refused() + each.undelivered() == all.refused() + all.undelivered(),
                "the scope counts " + all + ", its actors together " + each);
    }

    private static Counters sum(Counters a, Counters b) {
        return new Counters(a.handled() + b.handled(), a.failed() + b.failed(), a.expired() + b.expired(),
                a.dropped() + b.dropped(), a.refused() + b.refused(), a.undelivered() + b.undelivered());
    }
}
