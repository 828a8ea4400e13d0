package market

import "bourse/internal/api"

// envelope is what version 1 puts around an answer.
type envelope struct{ *api.Encoder[api.Answer] }

func enveloped(result *api.ResponseSchema) envelope {
	return envelope{api.Encode("", "",
		api.ConstantField[api.Answer]("success", api.True, "Always true.", "true"),
		api.ConstantField[api.Answer]("message", api.Null, "Always null.", "null"),
		api.NewField("result", result, "Result.", func(dst []byte, a *api.Answer) []byte { return (*a).AppendTo(dst) }))}
}

func (e envelope) around(a api.Answer) api.Answer { return e.Answer(&a) }

// written is the envelope around an answer that will be kept.
func (e envelope) written(result api.AnswerFunc) func(api.Bytes) api.Bytes {
	return written(e.around(result).AppendTo)
}
