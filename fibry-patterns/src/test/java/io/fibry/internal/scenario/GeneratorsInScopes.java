package io.fibry.internal.scenario;

import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.ActorSystem;
import io.fibry.flow.FlowOptions;
import io.fibry.flow.Generator;
import io.fibry.flow.GeneratorOutput;
import io.fibry.flow.RingProbe;
import io.fibry.function.Handler;
import io.fibry.internal.memory.Interleave;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * The producers of a generator yield values in actors of a scope, a few ahead of a consumer, while they fail, the consumer leaves, and
 * the scope is stopped. The consumer gets what was yielded before, in order, and the end that is due; no producer is left.
 */
final class GeneratorsInScopes implements Scenario {
    private static final int VALUES = 5;

    private record Value(int producer, int number) {
    }

    /** A generator, and what its producers and its consumer have seen. */
    private static final class Work {
        final Play play;
        final int capacity;
        final IllegalStateException failure = new IllegalStateException("as wanted");
        final boolean fails;
        final int[] begun;
        final int[] yielded;
        final int[] taken;
        /** What had been yielded when a producer failed, or when the stop of the scope began; the consumer must get these. */
        int @Nullable [] due;
        boolean hasFailed;
        boolean isStopping;
        boolean isTaking;
        int inside;

        Work(Play play) {
            this.play = play;
            capacity = play.upTo(2);
            fails = play.chance(30);
            var producers = capacity == 2 && play.chance(40) ? 2 : 1;
            begun = new int[producers];
            yielded = new int[producers];
            taken = new int[producers];
        }

        Generator<Value> open(ActorScope scope) {
            var producers = new ArrayList<Handler<GeneratorOutput<Value>>>();
            for (int i = 0; i < begun.length; i++) {
                var producer = i;
                producers.add(output -> produce(output, producer));
            }
            return Generator.open(scope, "values", FlowOptions.capacity(capacity)
                    .withActors(builder -> builder.strategy(play.elsewhere())), producers);
        }

        private void produce(GeneratorOutput<Value> output, int producer) {
            inside++;
            try {
                for (int i = 0; i < VALUES; i++) {
                    play.pause();
                    if (fails && producer == 0 && i == VALUES - 2) {
                        hasFailed = true;
                        due();
                        throw failure;
                    }
                    begun[producer]++;
                    if (isTaking && waiting() == 0) {
                        play.saw("the consumer waits for a value");
                    }
                    output.yield(new Value(producer, i));
                    yielded[producer]++;
                    play.check(waiting() <= capacity + (isTaking ? 1 : 0),
                            waiting() + " values wait where " + capacity + " may");
                }
            } catch (CancellationException unwanted) {
                play.saw("a producer was told to end");
                play.check(!output.isWanted(), "told to end, but wanted");
                throw unwanted;
            } finally {
                inside--;
            }
        }

        private int waiting() {
            int waiting = 0;
            for (int i = 0; i < yielded.length; i++) {
                waiting += yielded[i] - taken[i];
            }
            return waiting;
        }

        void due() {
            if (due == null) {
                due = yielded.clone();
            }
        }

        void take(Value value) {
            var expected = taken[value.producer]++;
            play.check(value.number == expected, value + " instead of " + expected);
            isTaking = false;
        }

        int count() {
            return Arrays.stream(taken).sum();
        }

        void lookForWaits() {
            for (int i = 0; i < begun.length; i++) {
                if (begun[i] > yielded[i] && waiting() >= capacity) {
                    play.saw("a producer waits for room");
                }
            }
        }

        /** The consumer has come to the end of the values. */
        void checkEnd(@Nullable RuntimeException why) {
            if (why == null) {
                play.check(count() == taken.length * VALUES, "only " + count() + " values have come");
                return;
            }
            play.saw(why == failure ? "a failure has come" : "a stop has come");
            play.check(why == failure ? hasFailed : isStopping && why instanceof ActorStoppedException,
                    "an end by " + why);
            for (int i = 0; due != null && i < due.length; i++) {
                play.check(taken[i] >= due[i], "value " + taken[i] + " of " + i + " has not come");
            }
        }
    }

    @Override
    public String name() {
        return "generator-in-scope";
    }

    @Override
    public List<String> sometimes() {
        return List.of("the consumer waits for a value", "a producer waits for room", "a failure has come",
                "a stop has come", "a producer was told to end", "the consumer has left early",
                "all values have come");
    }

    @Override
    public void play(Play play) {
        RingProbe.marks(Interleave::here);
        var work = new Work(play);
        var scope = ActorSystem.configure("generators").time(play.schedule.time()).strategy(play.strategy)
                .listener(event -> {
                }).open();
        var most = play.chance(30) ? play.random.nextInt(VALUES) : Integer.MAX_VALUE;
        play.spawn("consumer", () -> {
            var generator = work.open(scope);
            if (play.chance(40)) {
                play.spawn("stopper", () -> stop(work, scope));
            }
            consume(work, generator, most);
            var end = generator.onStopped();
            generator.close();
            play.check(work.inside == 0, work.inside + " producers run after the close");
            play.check(!generator.hasNext(), "a value has come after the close");
            play.check(end.get().stopped(), "producers are left: " + end.get());
            scope.close();
        });
    }

    private static void stop(Work work, ActorScope scope) {
        for (int pauses = work.play.random.nextInt(60); pauses > 0; pauses--) {
            work.play.pause();
        }
        work.isStopping = true;
        work.due();
        scope.stop(work.play.chance(50) ? Duration.ZERO : Duration.ofMinutes(1));
    }

    private static void consume(Work work, Generator<Value> generator, int most) {
        var play = work.play;
        try {
            while (work.count() < most) {
                play.pause();
                work.lookForWaits();
                work.isTaking = true;
                if (!generator.hasNext()) {
                    play.saw("all values have come");
                    work.checkEnd(null);
                    return;
                }
                work.take(generator.next());
            }
            play.saw("the consumer has left early");
        } catch (IllegalStateException | ActorStoppedException end) {
            work.checkEnd(end);
            checkAgain(play, generator, end);
        }
    }

    private static void checkAgain(Play play, Generator<Value> generator, RuntimeException end) {
        try {
            play.check(false, "a value after the end: " + generator.hasNext());
        } catch (IllegalStateException | ActorStoppedException again) {
            play.check(again == end, again + " after " + end);
        }
    }
}
