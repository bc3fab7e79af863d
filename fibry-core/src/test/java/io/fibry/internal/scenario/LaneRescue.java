package io.fibry.internal.scenario;

import io.fibry.ActorState;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.internal.engine.EngineProbe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Actors on lanes send to idle ones and then wait in all sorts of ways, while the monitor looks. */
final class LaneRescue implements Scenario {
    @Override
    public String name() {
        return "lane-rescue";
    }

    @Override
    public List<String> sometimes() {
        return List.of("both on one thread",
                "rescued",
                "named after its actor",
                "started at once");
    }

    private static final int PAUSES = 100;
    /** What one look adds. */
    private static final int LOOK = 2;

    /** One play. */
    private static final class Actors {
        final Play play;
        final CreationStrategy lanes;
        final List<Subject> receivers = new ArrayList<>();
        final Map<Msg, Sent> sent = new HashMap<>();
        final Map<Msg, CompletableFuture<Void>> held = new HashMap<>();
        /** Odd while the monitor looks. */
        int looks;
        int numbers;

        Actors(Play play) {
            this.play = play;
            lanes = play.lanes(() -> {
                play.pause();
                looks++;
            });
        }

        /** A name may be wrong from one look of the monitor to the end of the next, and no longer. */
        void checkName() {
            var since = looks;
            for (int i = 0; i < PAUSES && EngineProbe.hasNameOfAnother(); i++) {
                play.check(looks < since + LOOK + LOOK + LOOK, "a thread keeps the name of another actor");
                play.pause();
            }
            if (Thread.currentThread().getName()
                    .equals("fibry-" + ActorSystem.currentActor().orElse("none"))) {
                play.saw("named after its actor");
            }
        }

        Msg message(String sender) {
            return new Msg(sender, numbers++);
        }
    }

    /** A message whose sender waits until it is begun, by means that the engine does not know. */
    private record Sent(CompletableFuture<@Nullable Void> begun, int looks, boolean fromIdle) {
    }

    @Override
    public void play(Play play) {
        var actors = new Actors(play);
        for (int i = 0; i < 3; i++) {
            var place = i;
            var receiver = new Subject(play);
            actors.receivers.add(receiver);
            receiver.make(play.anonymous().strategy(actors.lanes), (context, message) -> {
                actors.checkName();
                var until = actors.held.remove(message);
                if (until != null) {
                    until.get();
                }
                actors.checkName();
                if (place > 0 && play.chance(50)) {
                    askTwice(actors, "receiver" + place, actors.receivers.get(place - 1));
                }
            });
        }
        for (int i = 0; i < 2; i++) {
            sender(actors, "sending" + i);
        }
    }

    private static void sender(Actors actors, String name) {
        var play = actors.play;
        var sender = new Subject(play);
        var partner = new Subject(play);
        partner.make(play.anonymous().strategy(actors.lanes), (context, message) -> {
            actors.checkName();
            var sent = Objects.requireNonNull(actors.sent.remove(message));
            if (sent.fromIdle && !sent.begun.isDone()) {
                play.saw(actors.looks == sent.looks && sent.looks % 2 == 0 ? "started at once" : "rescued");
            }
            sent.begun.complete(null);
        });
        sender.make(play.anonymous().strategy(actors.lanes), (context, message) -> {
            var receiver = actors.receivers.get(play.random.nextInt(3));
            switch (play.random.nextInt(6)) {
                case 0, 1 -> waitForBeginOf(actors, name, partner);
                case 2 -> {
                    receiver.send(actors.message(name));
                    actors.receivers.getFirst().send(actors.message(name));
                }
                case 3 -> askTwice(actors, name, receiver);
                case 4 -> hold(actors, name);
                default -> {
                    receiver.send(actors.message(name));
                    play.pause();
                }
            }
            actors.checkName();
        });
        play.sender(name + "-starter", 4, sender);
        if (play.chance(20)) {
            play.spawn("stopper", () -> {
                play.pause();
                sender.stop(Duration.ZERO);
            });
        }
    }

    private static void waitForBeginOf(Actors actors, String name, Subject receiver) throws Exception {
        var message = actors.message(name);
        var begun = new CompletableFuture<@Nullable Void>();
        // Nobody else sends to it: if it is idle now, it is so in a moment.
        var idle = receiver.actor().state() == ActorState.IDLE;
        actors.sent.put(message, new Sent(begun, actors.looks, idle));
        receiver.send(message);
        try {
            begun.get();
        } finally {
            begun.complete(null); // it waits no more
        }
    }

    /** Has one actor wait for another answer that is on the way: on top of the sender it would wait for ever. */
    private static void hold(Actors actors, String name) throws Exception {
        var asked = actors.message(name);
        var answer = actors.receivers.get(0).ask(asked);
        var message = actors.message(name);
        var end = new CompletableFuture<Void>();
        actors.held.put(message, end);
        try {
            actors.receivers.get(1).send(message);
            actors.play.check(answer.get() == asked.number, "the answer of another");
        } finally {
            end.complete(null);
        }
    }

    private static void askTwice(Actors actors, String name, Subject receiver) throws Exception {
        var first = actors.message(name);
        var second = actors.message(name);
        var answer = receiver.ask(first);
        actors.play.check(receiver.ask(second).get() == second.number, "the answer of another");
        actors.play.check(answer.get() == first.number, "the answer of another");
        if (receiver.ranOn(Thread.currentThread())) {
            actors.play.saw("both on one thread");
        }
    }
}
