package io.fibry.internal.scenario;

import io.fibry.flow.RingProbe;
import io.fibry.internal.memory.Interleave;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Semaphore;

/** Producers put values into the rings of a generator, and a consumer takes them, or leaves. */
final class Generators implements Scenario {
    private static final int VALUES = 6;

    /** What the consumer has seen. */
    private static final class Taken {
        final Play play;
        final int[] next;
        final int[] yielded;
        final int capacity;
        /** What had been yielded when a producer failed. */
        int[] atFailure = new int[0];
        /** Whether the consumer may hold a value that it has not counted yet. */
        boolean isTaking;
        int count;

        Taken(Play play, int producers, int capacity) {
            this.play = play;
            this.next = new int[producers];
            this.yielded = new int[producers];
            this.capacity = capacity;
        }

        void take(int[] value) {
            play.check(value[1] == next[value[0]], "value " + value[1] + " instead of " + next[value[0]]);
            next[value[0]]++;
            count++;
            isTaking = false;
        }

        void failing() {
            atFailure = yielded.clone();
        }

        /** The consumer has come to the end. */
        void checkEnd(int values) {
            if (atFailure.length == 0) {
                play.check(count == values, "only " + count + " values have come");
            }
            for (int i = 0; i < atFailure.length; i++) {
                play.check(next[i] >= atFailure[i],
                        "value " + next[i] + " was yielded before the failure, and has not come");
            }
        }

        void yielded(int producer) {
            yielded[producer]++;
            int waiting = 0;
            for (int i = 0; i < next.length; i++) {
                waiting += yielded[i] - next[i];
            }
            play.check(waiting <= capacity + (isTaking ? 1 : 0),
                    waiting + " values wait where " + capacity + " may");
        }
    }

    @Override
    public String name() {
        return "generator";
    }

    @Override
    public List<String> sometimes() {
        return List.of("the consumer waits for a value", "a producer waits for room",
                "a producer was told to end",
                "the consumer has got a failure", "the slots have become larger");
    }

    @Override
    public void play(Play play) {
        RingProbe.marks(Interleave::here);
        var producers = play.upTo(2);
        var capacity = producers + play.random.nextInt(3) + (play.chance(30) ? 6 : 0);
        var news = new Semaphore(0);
        var waits = play.chance(50);
        var ring = new RingProbe(producers, capacity, waits ? null : news::release);
        var taken = new Taken(play, producers, capacity);
        var most = play.chance(40) ? play.random.nextInt(VALUES) : Integer.MAX_VALUE;
        var failure = play.chance(20) ? new IllegalStateException("as wanted") : null;
        for (int i = 0; i < producers; i++) {
            var producer = i;
            play.spawn("producer" + producer, () -> produce(play, ring, producer, taken, failure));
        }
        play.spawn("consumer", () -> {
            Throwable got = null;
            boolean isEnd = false;
            try {
                while (taken.count < most && !isEnd) {
                    play.pause();
                    taken.isTaking = true;
                    if (waits) {
                        isEnd = !ring.hasNext();
                        if (!isEnd) {
                            taken.take(ring.take());
                        }
                    } else {
                        isEnd = !hasNext(ring, news, taken);
                    }
                }
                got = isEnd ? ring.failure() : null;
            } catch (IllegalStateException failed) {
                isEnd = true;
                got = failed;
            }
            if (isEnd) {
                play.check(got == failure, "the failure is " + got + " instead of " + failure);
                taken.checkEnd(producers * VALUES);
            }
            if (got != null) {
                play.saw("the consumer has got a failure");
            }
            if (ring.hasGrown(0)) {
                play.saw("the slots have become larger");
            }
            play.pause();
            ring.cancel();
            play.check(!waits || !ring.hasNext(), "a value has come after the close");
        });
        play.spawn("observer", () -> {
            for (int i = 0; i < 10; i++) {
                play.pause();
                if (ring.isFull(0)) {
                    play.saw("a producer waits for room");
                }
            }
        });
    }

    private static boolean hasNext(RingProbe ring, Semaphore news, Taken taken) throws InterruptedException {
        while (true) {
            var over = ring.isOver();
            var value = ring.poll();
            if (value != null) {
                taken.take(value);
                return true;
            }
            if (over) {
                return false;
            }
            if (ring.arm()) {
                news.acquire();
            }
        }
    }

    private static void produce(Play play, RingProbe ring, int producer, Taken taken,
            IllegalStateException failure) {
        try {
            for (int i = 0; i < VALUES; i++) {
                play.pause();
                if (ring.isWaitedFor()) {
                    play.saw("the consumer waits for a value");
                }
                if (failure != null && producer == 0 && i == VALUES - 1) {
                    taken.failing();
                    ring.fail(failure); // and this is all that tells the consumer
                    return;
                }
                ring.put(producer, new int[]{producer, i});
                taken.yielded(producer);
            }
        } catch (CancellationException closed) {
            play.saw("a producer was told to end");
        }
        play.pause();
        ring.end(producer);
    }
}
