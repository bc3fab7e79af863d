package io.fibry.internal.scenario;

import io.fibry.time.Schedule;
import io.fibry.time.Scheduled;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Many jobs become due at about the same time, and some of them are cancelled meanwhile: each of the others runs once. */
final class JobStarts implements Scenario {
    /** So many that the fiber that starts the actors of jobs has to hand itself on. */
    private static final int MANY = 80;

    @Override
    public String name() {
        return "job-starts";
    }

    @Override
    public List<String> sometimes() {
        return List.of("many", "cancelled", "cancelled too late", "all had run while another one was due");
    }

    /** A job, and what is known of it. */
    private static final class Launch {
        @Nullable Scheduled job;
        int runs;
        boolean isCancelled;
    }

    @Override
    public void play(Play play) {
        var launches = new ArrayList<Launch>();
        var scope = play.scope.child("jobs").strategy(play.elsewhere()).open();
        var jobs = play.chance(5) ? MANY : play.upTo(6);
        play.spawn("scheduler", () -> {
            for (int i = 0; i < jobs; i++) {
                play.pause();
                var launch = new Launch();
                launches.add(launch);
                launch.job = scope.schedule(
                        Schedule.once(Play.MILLI.multipliedBy(play.random.nextInt(3))),
                        () -> run(play, launch));
                if (jobs < MANY && launches.size() > 1
                        && launches.subList(0, launches.size() - 1).stream()
                                .allMatch(each -> each.runs > 0)) {
                    play.saw("all had run while another one was due");
                }
            }
            play.saw(jobs == MANY ? "many" : "few");
            for (int i = 0; i < 3; i++) {
                play.rest(); // all jobs are due by then
            }
        });
        play.clock(3);
        play.clock(3);
        play.repeat("canceller", 1, 10, () -> cancelOne(play, launches), () -> {
        });
        play.atRest(() -> {
            play.check(launches.size() == jobs, "not all were scheduled");
            for (var launch : launches) {
                play.check(launch.runs == (launch.isCancelled ? 0 : 1),
                        "a job ran " + launch.runs + " times, cancelled: " + launch.isCancelled);
            }
        });
    }

    private static void run(Play play, Launch launch) {
        play.check(!launch.isCancelled, "it runs after it was cancelled");
        launch.runs++;
        play.pause();
    }

    private static void cancelOne(Play play, List<Launch> launches) {
        if (!launches.isEmpty()) {
            var launch = launches.get(play.random.nextInt(launches.size()));
            var job = launch.job;
            if (job != null && !launch.isCancelled) {
                launch.isCancelled = job.cancel();
                play.saw(launch.isCancelled ? "cancelled" : "cancelled too late");
            }
        }
    }
}
