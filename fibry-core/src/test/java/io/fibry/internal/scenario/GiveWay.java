package io.fibry.internal.scenario;

import io.fibry.CreationStrategy;
import io.fibry.internal.engine.EngineProbe;
import java.time.Duration;
import java.util.List;

/** A turn spends its budget and goes on as another one, while messages still come. */
final class GiveWay implements Scenario {
    @Override
    public String name() {
        return "give-way";
    }

    @Override
    public List<String> sometimes() {
        return List.of("another turn",
                "one turn for two messages");
    }

    @Override
    public void play(Play play) {
        var senders = 3;
        var sent = new int[1];
        var subject = new Subject(play);
        subject.make(play.anonymous().strategy(aStrategy(play)), (context, message) -> {
            while (sent[0] < senders - 1) {
                Thread.yield();
            }
            play.schedule.time().advance(Duration.ofNanos(100_000));
        });
        for (int i = 0; i < senders; i++) {
            var sender = "sender" + i;
            play.spawn(sender, () -> {
                for (int n = 0; n < 16; n++) {
                    subject.send(new Msg(sender, n));
                }
                sent[0]++;
            });
        }
        if (play.chance(30)) {
            play.spawn("stopper", () -> {
                for (int pauses = play.random.nextInt(80); pauses > 0; pauses--) {
                    Thread.yield();
                }
                subject.stop();
            });
        }
    }

    private static CreationStrategy aStrategy(Play play) {
        var threads = play.schedule.executor();
        return switch (play.random.nextInt(5)) {
            case 0 -> EngineProbe.fibersOn(threads);
            case 4 -> play.lanes(play::pause);
            case 1 -> CreationStrategy.of(Runnable::run);
            case 2 -> CreationStrategy.of(turn -> {
                threads.execute(turn);
                threads.execute(turn);
            });
            default -> EngineProbe.poolOn(threads);
        };
    }
}
