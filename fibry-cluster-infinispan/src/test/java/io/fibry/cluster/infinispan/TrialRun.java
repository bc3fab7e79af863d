package io.fibry.cluster.infinispan;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * A long run. Arguments: nodes, faults, seed, milliseconds of detection, "namespaces" or "discard", first port, and kinds of faults.
 */
final class TrialRun {
    private TrialRun() {
    }

    public static void main(String[] args) throws Exception {
        var size = Integer.parseInt(args[0]);
        var port = Integer.parseInt(args[5]);
        var kinds = args.length == 6 ? List.of(Trial.Fault.values())
                : Arrays.stream(args).skip(6).map(Trial.Fault::valueOf).toList();
        var folder =
                Files.createDirectories(Path.of(System.getProperty("trial.folder", "target/trial-" + port)));
        var random = new Random(Long.parseLong(args[2]));
        var begin = System.nanoTime();
        try (var trial = new Trial(folder, size, Long.parseLong(args[3]), random.nextLong(),
                args[4].equals("namespaces"),
                IntStream.range(port, port + size).boxed().toList())) {
            System.out.println("formed after " + (System.nanoTime() - begin) / 1_000_000 + " ms");
            System.out.println("ping of 64 bytes: " + trial.nodes().getFirst().ask("ping 20000"));
            trial.hammer();
            for (var i = 0; i < Integer.parseInt(args[1]); i++) {
                trial.harm(kinds.get(random.nextInt(kinds.size())));
                System.out.println((System.nanoTime() - begin) / 1_000_000_000 + " s: " + trial.figures());
            }
        }
    }
}
