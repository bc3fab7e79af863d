package io.fibry.bench.report;

import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The machine on which the figures were measured.
 *
 * @param fields what is known of the machine, in the order in which it is shown
 */
public record Machine(Map<String, Object> fields) {
    private static final long MIB = 1 << 20;

    /**
     * Returns this machine and this JVM.
     *
     * @return the machine
     */
    public static Machine here() {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("time", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        fields.put("os", property("os.name") + " " + property("os.version") + " " + property("os.arch"));
        fields.put("cpu", procEntry("/proc/cpuinfo", "model name"));
        fields.put("cores", Runtime.getRuntime().availableProcessors());
        fields.put("memory", procEntry("/proc/meminfo", "MemTotal"));
        fields.put("memory available", procEntry("/proc/meminfo", "MemAvailable"));
        fields.put("load", Math.round(load() * 10) / 10.0);
        fields.put("jdk", property("java.vm.version") + " (" + property("java.vendor") + ")");
        fields.put("gc", ManagementFactory.getGarbageCollectorMXBeans().stream()
                .map(GarbageCollectorMXBean::getName).collect(Collectors.joining(", ")));
        fields.put("max heap MiB", Runtime.getRuntime().maxMemory() / MIB);
        fields.put("scheduler parallelism",
                System.getProperty("jdk.virtualThreadScheduler.parallelism", "default"));
        return new Machine(fields);
    }

    /**
     * Returns how many threads of the whole machine need a processor.
     *
     * @return the average of the last minute
     */
    public static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    private static String property(String name) {
        return System.getProperty(name, "unknown");
    }

    private static String procEntry(String file, String entry) {
        try (var lines = Files.lines(Path.of(file))) {
            return lines.filter(line -> line.startsWith(entry))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst().orElse("unknown");
        } catch (IOException noSuchFile) {
            return "unknown";
        }
    }

    /**
     * Returns the same machine with something more that is known of it.
     *
     * @param name what it is
     * @param value its value
     * @return another machine
     */
    public Machine with(String name, Object value) {
        var more = new LinkedHashMap<>(fields);
        more.put(name, value);
        return new Machine(more);
    }

    /**
     * Returns the machine as one line.
     *
     * @return the text
     */
    public String asText() {
        return fields.entrySet().stream().map(field -> field.getKey() + ": " + field.getValue())
                .collect(Collectors.joining("; "));
    }
}
