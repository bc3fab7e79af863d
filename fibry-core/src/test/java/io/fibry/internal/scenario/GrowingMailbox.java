package io.fibry.internal.scenario;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.event.ActorEvent;
import io.fibry.event.HighWater;
import io.fibry.internal.engine.EngineProbe;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Threads send to an actor with a long mailbox that handles nothing. A sender may be held up before it has numbered its
 * message. The mailbox seems long nevertheless, and each depth is reported once.
 */
final class GrowingMailbox implements Scenario {
    private static final int SENDERS = 3;
    /** A sender that meets a message without a number may lose the count of so many messages. */
    private static final int LOOK = 256;

    @Override
    public String name() {
        return "growing-mailbox";
    }

    @Override
    public List<String> sometimes() {
        return List.of("a depth was reported");
    }

    /** One play. */
    private static final class Game {
        final Play play;
        final ActorScope scope;
        final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();
        final Actor<Integer, Void> actor;
        int started;
        int sending;
        int reports;

        Game(Play play) {
            this.play = play;
            scope = ActorSystem.configure("growing").listener(this::hear).time(play.schedule.time())
                    .strategy(EngineProbe.fibersOn(play.schedule.executor())).open();
            actor = scope.anonymous().newActor((Integer number) -> end.get());
        }

        private void hear(ActorEvent event) {
            if (event instanceof HighWater growing) {
                play.saw("a depth was reported");
                play.check(++reports == 1, "reported again: " + growing.depth());
                play.check(growing.depth() >= 10_000, "reported too early: " + growing.depth());
            }
        }

        /** The threads of the schedule do not run yet. */
        void fill(int count) {
            for (int i = 0; i < count; i++) {
                actor.sendMessage(i);
            }
        }

        void send(int count, int atLeast) {
            sending++;
            for (int i = 0; i < count; i++) {
                play.pause();
                actor.sendMessage(i);
            }
            sending--;
            if (sending == 0 && started == SENDERS) {
                over(atLeast);
            }
        }

        private void over(int atLeast) {
            var size = actor.mailboxSize();
            play.check(size >= atLeast, "seems to have " + size + " messages");
            actor.askExit();
            end.complete(null);
            scope.close();
        }
    }

    @Override
    public void play(Play play) {
        var game = new Game(play);
        var reaches = play.chance(8);
        var before = reaches ? 10_238 : 1_300;
        game.fill(before);
        for (int i = 0; i < SENDERS; i++) {
            var count = reaches && i == 0 ? LOOK + 4 : 4;
            play.spawn("sender" + i, () -> {
                game.started++;
                game.send(count, before - LOOK);
            });
        }
    }
}
