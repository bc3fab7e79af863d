package io.fibry.examples.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.yaml.snakeyaml.Yaml;

/** The image of the Dockerfile: a folder with the files that it adds to its base, and the command. */
record BankImage(Path root, List<String> command) {
    static final Path FILE = Path.of("Dockerfile");

    /** Makes the folder. */
    static BankImage make(Path root) throws IOException {
        for (var each : words("COPY")) {
            var parts = each.split(" ");
            var from = Path.of(parts[0]);
            var to = Files.createDirectories(root.resolve(parts[1].substring(1)));
            try (var files = Files.list(from)) {
                for (var file : (Iterable<Path>) files::iterator) {
                    Files.copy(file, to.resolve(file.getFileName()));
                }
            }
        }
        List<String> command = new Yaml().load(words("ENTRYPOINT").getFirst());
        return new BankImage(root, List.copyOf(command));
    }

    private static List<String> words(String instruction) throws IOException {
        try (var lines = Files.lines(FILE)) {
            return lines.filter(each -> each.startsWith(instruction + " "))
                    .map(each -> each.substring(instruction.length() + 1)).toList();
        }
    }
}
