package io.fibry.inside;

import io.fibry.ActorContext;
import io.fibry.Reply;
import io.fibry.Request;
import io.fibry.dump.Dump;
import io.fibry.dump.DumpOptions;
import io.fibry.dump.ScopeDump;
import io.fibry.event.ActorListener;
import io.fibry.function.ContextReplyHandler;
import io.fibry.time.Cancellable;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The handler of the actor that takes dumps, while a browser looks. A sample serves all who ask within a second. If a
 * dump takes long, the next one comes later, so that dumps take at most a fifth of the time of one processor. Ten
 * seconds after the last question it forgets everything but the newest events, and stops listening to events.
 */
final class Sampler implements ContextReplyHandler<Sampler.Wish, Reply> {
    private static final long FRESH_NANOS = Duration.ofSeconds(1).toNanos();
    private static final int TIMES = 5;
    private static final Duration INTEREST = Duration.ofSeconds(10);
    private static final String FORGET = "forget";

    /** What the actor is told. */
    sealed interface Wish {
    }

    /** Asks for a sample that is not old. */
    record Look() implements Wish, Request<Sample> {
    }

    /** Says that the last question was long ago. */
    record Forget() implements Wish {
    }

    private final Function<DumpOptions, Dump> dumps;
    private final Function<ActorListener, Cancellable> events;
    private final EventFeed feed;
    private final TimeSource time;
    /** Null if no browser looks. */
    private @Nullable Watch watch;

    /** What is known while a browser looks. */
    private final class Watch {
        private final Cancellable listening = events.apply(feed);
        private final SampleSeries series = new SampleSeries(Long.toHexString(time.clock().millis()));
        private @Nullable Sample newest;
        /** When a new sample may be taken. */
        private long next;

        Sample sample() {
            var known = newest;
            if (known == null || time.nanoTime() - next >= 0) {
                known = take();
                newest = known;
            }
            return known;
        }

        private Sample take() {
            var start = time.nanoTime();
            var dump = withoutPage(dumps.apply(DumpOptions.defaults()));
            var end = time.nanoTime();
            var pause = Math.max(FRESH_NANOS, (end - start) * TIMES);
            next = start + pause;
            feed.sampled();
            return series.next(dump, end, Times.millis(Duration.ofNanos(pause)));
        }
    }

    Sampler(Function<DumpOptions, Dump> dumps, Function<ActorListener, Cancellable> events, EventFeed feed,
            TimeSource time) {
        this.dumps = dumps;
        this.events = events;
        this.feed = feed;
        this.time = time;
    }

    @Override
    public Reply handle(ActorContext<Wish, Reply> context, Wish wish) {
        switch (wish) {
            case Look look -> {
                context.timers().once(FORGET, INTEREST, new Forget());
                var known = watch;
                if (known == null) {
                    feed.resumed();
                    known = new Watch();
                    watch = known;
                }
                return look.reply(known.sample());
            }
            case Forget forget -> {
                stopWatching();
                return Reply.none();
            }
        }
    }

    /** Leaves out the page itself, that is its scope and what waits for the sample: who looks wants to see the others. */
    private static Dump withoutPage(Dump dump) {
        var all = dump.scope();
        var others = new ArrayList<ScopeDump>();
        var own = new HashSet<String>();
        for (var scope : all.scopes()) {
            if (scope.name().equals(Inside.SCOPE)) {
                addNames(scope, own);
            } else {
                others.add(scope);
            }
        }
        return new Dump(dump.takenAt(), dump.took(), dump.java(), dump.processors(), dump.timers(),
                new ScopeDump(all.name(), all.state(), all.listsAll(), all.actors(), all.idle(), all.busy(),
                        all.waiting(), all.counters(), all.lost(), all.firstLost(), all.limits(), all.jobs(),
                        all.kept(),
                        all.abandoned(), all.handlers(), all.shown(), all.sections(), others),
                dump.waits().stream().filter(chain -> !own.containsAll(chain.actors())).toList());
    }

    private static void addNames(ScopeDump scope, Set<String> names) {
        scope.shown().forEach(actor -> names.add(actor.name()));
        scope.scopes().forEach(inner -> addNames(inner, names));
    }

    /** Forgets the samples. The actor calls it, also when it ends. */
    void stopWatching() {
        var known = watch;
        watch = null;
        if (known != null) {
            known.listening.cancel();
        }
    }
}
