% Lets rankspec check vl_pr of VLFeat:  apt-get install octave octave-vlfeat
%   rankspec identify "jsonl:octave-cli -q vlfeat.m" --measure AP
% It speaks the line protocol of docs/line-protocol.md: JSON lines on standard input and output.

1;

function value = of_ranking(call)
  labels = 2 * (call.arguments.y_true(:)' > 0) - 1;
  scores = [];
  if ~isempty(call.arguments.y_score)
    scores = str2double(strrep(call.arguments.y_score, 'Infinity', 'Inf'))(:)';
  end
  [~, ~, info] = vl_pr(labels, scores);
  if strcmp(call.measure, 'AP')
    value = info.ap;
  else
    value = info.ap_interp_11;
  end
end

hello = ['{"type": "hello", "protocol": 1, "name": "VLFeat", "version": "', vl_version(), '", "shape": "labels-scores", ' ...
         '"convention": "default", "measures": {"AP": {}, "AP11": {}}}'];

while true
  try
    line = input('', 's');  % fgetl waits for the first character of the next line
  catch
    break
  end
  message = jsondecode(line);
  if strcmp(message.type, 'start')
    printf('%s\n', hello);
  end
  if strcmp(message.type, 'batch')
    calls = message.calls;
    for i = 1:numel(calls)
      if iscell(calls)
        call = calls{i};
      else
        call = calls(i);
      end
      result = struct('type', 'result', 'seq', call.seq);
      try
        result.value = sprintf('%.17g', of_ranking(call));
        result.outcome = 'value';
      catch failure
        result.outcome = 'errored';
        result.message = failure.message;
      end
      printf('%s\n', jsonencode(result));
    end
  end
  fflush(stdout);
end
