package io.fibry.internal.scenario;

import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.ActorSystem;
import io.fibry.flow.Flows;
import io.fibry.flow.PipelineBuilder;
import io.fibry.flow.PipelineProbe;
import io.fibry.flow.PipelineProgress;
import io.fibry.flow.PipelineProgress.State;
import io.fibry.flow.PipelineRun;
import io.fibry.flow.StageOptions;
import io.fibry.flow.StageOptions.OnFailure;
import io.fibry.internal.memory.Interleave;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;

/**
 * Values go through a pipeline of stages that are called by one actor, and of stages with actors of their own, while functions fail
 * and take their time, the pipeline is cancelled, and its scope is closed. In the end it has ended, and each value has one fate.
 */
final class Pipelines implements Scenario {
    private static final int VALUES = 8;

    /** A pipeline, and what its functions have seen. */
    private static final class Work {
        final Play play;
        final List<StageOptions> options = new ArrayList<>();
        final List<Integer> got = new ArrayList<>();
        final IllegalStateException failure = new IllegalStateException("as wanted");
        PipelineRun<Long> run;
        /** The values that have entered a stage of each number, in order. */
        final List<List<Integer>> begun = new ArrayList<>();
        int[] inside;
        boolean mayFail;
        boolean isCancelled;
        boolean isClosing;
        /** Whether the source fails after its values. */
        boolean sourceFails;
        /** The stage whose values wait until the one before has got to the consumer, of a pipeline that nothing disturbs; none if negative. */
        int patient = -1;
        final List<Semaphore> through = Stream.generate(() -> new Semaphore(0)).limit(VALUES).toList();
        /** A value that the source gave when the pipeline had ended. */
        int late = Integer.MAX_VALUE;

        Work(Play play) {
            this.play = play;
            mayFail = play.chance(30);
            sourceFails = play.chance(10);
        }

        StageOptions some() {
            var each = switch (play.random.nextInt(5)) {
                case 0, 1 -> StageOptions.usual();
                case 2 -> StageOptions.usual().withCapacity(play.upTo(2));
                case 3 -> StageOptions.parallel(2).withCapacity(play.upTo(3));
                default -> StageOptions.parallel(2).unordered();
            };
            return play.chance(50) ? each.withOnFailure(OnFailure.DROP) : each;
        }

        int work(int stage, int value) {
            play.check(value < late, value + " comes in after the end");
            begun.get(stage).add(value);
            inside[stage]++;
            play.check(inside[stage] <= options.get(stage).parallelism(),
                    "stage " + stage + " works on " + inside[stage] + " values");
            play.pause();
            if (stage == patient && value > 0) {
                play.saw("a value waits for the one before");
                through.get(value - 1).acquireUninterruptibly();
            }
            inside[stage]--;
            if (mayFail && value % 5 == 3 && stage == value % options.size()) {
                play.saw("a stage has failed");
                throw failure;
            }
            return value;
        }

        boolean isOrdered() {
            return options.stream().limit(options.size() - 1L)
                    .allMatch(each -> each.parallelism() == 1 || each.ordered())
                    && options.getLast().parallelism() == 1;
        }

        void look() {
            var progress = run.progress();
            for (int i = 0; i < options.size(); i++) {
                var stage = progress.stages().get(i);
                play.check(stage.in() == stage.out() + stage.failed() + stage.cancelled() + stage.waiting()
                        + stage.working(), "it does not add up: " + stage);
                play.check(i == 0 || stage.in() == progress.stages().get(i - 1).out(),
                        "a value is between two stages: " + progress);
                var places = options.get(i).capacity() == 0 ? 16 : options.get(i).capacity();
                play.check(stage.waiting() <= places, "too many values wait: " + stage);
                if (stage.waiting() > 0) {
                    play.saw("a value waits for a stage");
                }
            }
        }

        void checkEnd(Throwable why, long count) {
            var progress = run.progress();
            look();
            play.check(
                    progress.stages().stream().allMatch(each -> each.waiting() == 0 && each.working() == 0),
                    "values are left: " + progress);
            var last = progress.stages().getLast();
            play.check(last.out() == got.size(), "the consumer has got " + got + ", but " + progress);
            if (isOrdered()) {
                play.check(got.stream().sorted().toList().equals(got), "out of order: " + got);
            }
            play.check(got.stream().distinct().count() == got.size(), "twice: " + got);
            if (why == null) {
                play.saw("completed");
                play.check(progress.state() == State.COMPLETED && count == got.size(),
                        count + " of " + progress);
                play.check(lost(progress) == 0 && in(progress) == VALUES, "values are lost: " + progress);
            } else if (why instanceof CancellationException) {
                play.saw("cancelled");
                play.check(isCancelled && progress.state() == State.CANCELLED, why + ", " + progress);
            } else if (why instanceof ActorStoppedException) {
                play.saw("stopped");
                play.check(isClosing && progress.state() == State.FAILED, why + ", " + progress);
                play.check(lost(progress) == 0 || mayFail, "what was in has not gone through: " + progress);
            } else {
                play.check(why == failure && progress.state() == State.FAILED, why + ", " + progress);
            }
        }

        private static long lost(PipelineProgress progress) {
            return progress.stages().stream().mapToLong(each -> each.cancelled()).sum();
        }

        private static long in(PipelineProgress progress) {
            return progress.stages().getFirst().in();
        }

        void gives(int value) {
            if (run != null && run.progress().state() != State.RUNNING && value < late) {
                late = value;
            }
        }
    }

    @Override
    public String name() {
        return "pipeline";
    }

    @Override
    public List<String> sometimes() {
        return List.of("a stage has failed", "a value waits for a stage", "completed", "cancelled", "stopped",
                "the source has failed", "a value waits for the one before",
                "a publisher has waited for demand");
    }

    @Override
    public void play(Play play) {
        var work = new Work(play);
        var scope = ActorSystem.configure("flows").time(play.schedule.time()).strategy(play.strategy)
                .listener(event -> {
                }).open();
        var begin = play.chance(70) ? Flows.pipeline(scope, "values", values(work))
                : Flows.pipeline(scope, "values", publisher(work));
        var ended = new Semaphore(0);
        play.spawn("starter", () -> {
            work.run = PipelineProbe.start(Interleave::here, play.elsewhere(), () -> start(work, begin));
            var unused = work.run.result().whenComplete((count, failure) -> ended.release());
            play.spawn("observer", () -> play.repeat("look", 1, 10, work::look, () -> {
            }));
            end(work, scope);
            ended.acquire();
            Throwable why = null;
            long count = 0;
            try {
                count = work.run.result().get();
            } catch (ExecutionException failed) {
                why = failed.getCause();
            }
            work.checkEnd(why, count);
            work.isClosing = true;
            scope.close();
        });
    }

    private static PipelineRun<Long> start(Work work, PipelineBuilder<Integer> begin) {
        var pipeline = begin;
        var stages = work.play.random.nextInt(4);
        work.inside = new int[stages + 1];
        for (int i = 0; i <= stages; i++) {
            work.options.add(work.some());
            work.begun.add(new ArrayList<>());
        }
        for (int i = 0; i < stages; i++) {
            var stage = i;
            pipeline = pipeline.then(value -> work.work(stage, value), work.options.get(stage));
        }
        if (!work.mayFail && !work.sourceFails && work.isOrdered() && work.play.chance(40)) {
            work.patient = work.play.random.nextInt(stages + 1);
        }
        return pipeline.forEach(value -> {
            work.got.add(work.work(stages, value));
            work.through.get(value).release();
        }, work.options.get(stages));
    }

    private static void end(Work work, ActorScope scope) {
        var play = work.play;
        if (work.patient < 0 && play.chance(25)) {
            pauses(play);
            work.isCancelled = true;
            work.run.cancel();
        } else if (work.patient < 0 && play.chance(25)) {
            pauses(play);
            work.isClosing = true;
            scope.close();
        }
    }

    private static void pauses(Play play) {
        for (int pauses = play.random.nextInt(40); pauses > 0; pauses--) {
            play.pause();
        }
    }

    private static Iterable<Integer> values(Work work) {
        return () -> new Iterator<>() {
            private int next;

            @Override
            public boolean hasNext() {
                work.play.pause();
                if (next == VALUES && work.sourceFails) {
                    work.play.saw("the source has failed");
                    throw work.failure;
                }
                return next < VALUES;
            }

            @Override
            public Integer next() {
                work.gives(next);
                return next++;
            }
        };
    }

    /** A publisher whose thread sends what was requested. */
    private static Flow.Publisher<Integer> publisher(Work work) {
        return subscriber -> {
            var play = work.play;
            var requested = new Semaphore(0);
            var isCancelled = new boolean[1];
            subscriber.onSubscribe(new Flow.Subscription() {
                @Override
                public void request(long n) {
                    requested.release((int) n);
                }

                @Override
                public void cancel() {
                    isCancelled[0] = true;
                    requested.release();
                }
            });
            play.spawn("publisher", () -> {
                for (int i = 0; i < VALUES && !isCancelled[0]; i++) {
                    play.pause();
                    if (!requested.tryAcquire()) {
                        play.saw("a publisher has waited for demand");
                        requested.acquire();
                    }
                    if (!isCancelled[0]) {
                        subscriber.onNext(i);
                    }
                }
                if (!isCancelled[0]) {
                    subscriber.onComplete();
                }
            });
        };
    }
}
